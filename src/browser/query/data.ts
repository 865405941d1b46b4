// What the query page is written with, and what its server answers.

export interface PageParameter {
  readonly name: string;
  readonly type: 'text' | 'number';
  readonly default: string | number | boolean | null;
  readonly meaning: string;
}

export interface PageQuestion {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly PageParameter[];
  readonly sql: string;
}

export interface PageView {
  readonly name: string;
  readonly doc: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly doc: string }[];
}

export interface QueryPageData {
  readonly questions: readonly PageQuestion[];
  readonly views: readonly PageView[];
  /** until a query is stopped */
  readonly seconds: number;
  /** that are shown of a result */
  readonly rows: number;
}

export interface ResultColumn {
  readonly name: string;
  /** as DuckDB names it */
  readonly type: string;
  readonly numeric: boolean;
}

/** The first rows of a result as short texts. */
export interface ResultPage {
  readonly columns: readonly ResultColumn[];
  /** null is NULL; long texts are cut, with an ellipsis */
  readonly rows: readonly (readonly (string | null)[])[];
  /** rows behind those */
  readonly more: number;
  /** false where counting them took too long: there are at least so many */
  readonly counted: boolean;
}
