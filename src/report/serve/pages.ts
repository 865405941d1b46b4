/** What the server shows besides the query page: whole HTML documents, made when they are asked for. */
export interface Pages {
  report(): Promise<string>;
  /** null where no trajectory, or more than one, answers to the id */
  view(id: string): Promise<string | null>;
}
