/** What the server shows besides the query page: whole HTML documents, made when they are asked for. */
export interface Pages {
  report(): Promise<string>;
  /** null where no trajectory has the id */
  view(id: string): Promise<string | null>;
}
