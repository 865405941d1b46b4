import { parse, tokenize } from '@huggingface/jinja';

/** The syntax tree of a template, as the parser of @huggingface/jinja builds it. */
export type Node =
  | { readonly type: 'Program'; readonly body: readonly Node[] }
  | {
      readonly type: 'If';
      readonly test: Node;
      readonly body: readonly Node[];
      readonly alternate: readonly Node[];
    }
  | ForNode
  | { readonly type: 'Break' | 'Continue' | 'Comment' }
  | {
      readonly type: 'Set';
      readonly assignee: Node;
      readonly value: Node | null;
      readonly body: readonly Node[];
    }
  | MacroNode
  | {
      readonly type: 'CallStatement';
      readonly call: CallNode;
      readonly callerArgs: readonly Node[] | null;
      readonly body: readonly Node[];
    }
  | { readonly type: 'FilterStatement'; readonly filter: Node; readonly body: readonly Node[] }
  | {
      readonly type: 'MemberExpression';
      readonly object: Node;
      readonly property: Node;
      readonly computed: boolean;
    }
  | CallNode
  | { readonly type: 'Identifier'; readonly value: string }
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'ArrayLiteral' | 'TupleLiteral'; readonly value: readonly Node[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Node, Node> }
  | {
      readonly type: 'BinaryExpression';
      readonly operator: { readonly value: string };
      readonly left: Node;
      readonly right: Node;
    }
  | { readonly type: 'FilterExpression'; readonly operand: Node; readonly filter: Node }
  | { readonly type: 'SelectExpression'; readonly lhs: Node; readonly test: Node }
  | {
      readonly type: 'TestExpression';
      readonly operand: Node;
      readonly negate: boolean;
      readonly test: { readonly value: string };
    }
  | {
      readonly type: 'UnaryExpression';
      readonly operator: { readonly value: string };
      readonly argument: Node;
    }
  | { readonly type: 'SliceExpression'; readonly start?: Node; readonly stop?: Node; readonly step?: Node }
  | {
      readonly type: 'KeywordArgumentExpression';
      readonly key: { readonly value: string };
      readonly value: Node;
    }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node }
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node };

export interface ForNode {
  readonly type: 'For';
  readonly loopvar: Node;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}

export interface MacroNode {
  readonly type: 'Macro';
  readonly name: { readonly value: string };
  readonly args: readonly Node[];
  readonly body: readonly Node[];
}

export interface CallNode {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}

/** The name under which a generation block stands in the tree: a call block, which is what it is in Python. */
const GENERATION = '__generation__';
const OPENS_GENERATION = /\{%(-?)\s*generation\s*(-?)%\}/g;
const CLOSES_GENERATION = /\{%(-?)\s*endgeneration\s*(-?)%\}/g;

/** Parses a template in Hugging Face's settings: trim_blocks, lstrip_blocks, loop controls. Throws SyntaxError. */
export function parseTemplate(text: string): Node {
  // Jinja2 reads every kind of line end as a newline. The parser would drop generation tags.
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(OPENS_GENERATION, `{%$1 call ${GENERATION}() $2%}`)
    .replace(CLOSES_GENERATION, '{%$1 endcall $2%}');
  return parse(tokenize(lines, { trim_blocks: true, lstrip_blocks: true })) as unknown as Node;
}

/** Whether a node is a `{% generation %}` block, which marks what the model writes. */
export function isGenerationBlock(node: Node): boolean {
  return (
    node.type === 'CallStatement' &&
    node.call.callee.type === 'Identifier' &&
    node.call.callee.value === GENERATION
  );
}

/** Calls `visit` with every node of a tree. */
export function walk(tree: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(tree)) {
    for (const item of tree) walk(item, visit);
  } else if (tree instanceof Map) {
    for (const [key, item] of tree) {
      walk(key, visit);
      walk(item, visit);
    }
  } else if (typeof tree === 'object' && tree !== null && 'type' in tree) {
    visit(tree as Node);
    for (const child of Object.values(tree)) walk(child, visit);
  }
}
