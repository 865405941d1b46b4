import { DICT_ATTRIBUTES, isMethod } from './methods.js';
import { type Node, walk } from './nodes.js';

/** Names that Jinja2 itself gives, and constants that the parser takes for names. */
const GIVEN = ['loop', 'caller', 'varargs', 'kwargs', 'true', 'false', 'none', 'True', 'False', 'None'];
const LOOP_FIELDS = [
  'index',
  'index0',
  'first',
  'last',
  'length',
  'revindex',
  'revindex0',
  'previtem',
  'nextitem',
];

/** What a template may ask for. */
export interface KnownNames {
  readonly variables: ReadonlySet<string>;
  /** fields of the values of those variables, whichever */
  readonly fields: ReadonlySet<string>;
}

export interface UnknownNames {
  readonly variables: readonly string[];
  readonly fields: readonly string[];
}

/**
 * Variables and fields that a template reads and that nothing gives or sets: Jinja2 would print nothing for them. Scopes
 * are not told apart, so that a name set anywhere counts as known.
 */
export function unknownNames(program: Node, known: KnownNames): UnknownNames {
  const variables = new Set([...known.variables, ...GIVEN]);
  const fields = new Set([...known.fields, ...LOOP_FIELDS]);
  walk(program, (node) => {
    for (const each of assigned(node)) addTarget(each, variables, fields);
    if (node.type === 'Macro') variables.add(node.name.value);
    if (node.type === 'KeywordArgumentExpression') fields.add(node.key.value);
    if (node.type === 'ObjectLiteral') {
      for (const key of node.value.keys()) if (key.type === 'StringLiteral') fields.add(key.value);
    }
  });
  const missing = { variables: new Set<string>(), fields: new Set<string>() };
  visit(program);
  return { variables: [...missing.variables], fields: [...missing.fields] };

  function visit(tree: unknown): void {
    if (Array.isArray(tree)) {
      for (const item of tree) visit(item);
    } else if (tree instanceof Map) {
      for (const pair of tree) visit(pair);
    } else if (typeof tree === 'object' && tree !== null && 'type' in tree) {
      visitNode(tree as Node);
    }
  }

  function visitNode(node: Node): void {
    switch (node.type) {
      case 'Identifier':
        if (!variables.has(node.value)) missing.variables.add(node.value);
        return;
      case 'MemberExpression':
        visit(node.object);
        if (node.computed && node.property.type !== 'StringLiteral') visit(node.property);
        else if ('value' in node.property) visitField(String(node.property.value));
        return;
      case 'FilterExpression':
        visit(node.operand);
        visitFilter(node.filter);
        return;
      case 'FilterStatement':
        visitFilter(node.filter);
        visit(node.body);
        return;
      // operators are tokens, some of them words
      case 'BinaryExpression':
        visit(node.left);
        visit(node.right);
        return;
      case 'UnaryExpression':
        visit(node.argument);
        return;
      case 'TestExpression':
        visit(node.operand);
        return;
      case 'KeywordArgumentExpression':
        visit(node.value);
        return;
      case 'Macro':
        visit(node.args);
        visit(node.body);
        return;
      default:
        visit(Object.values(node));
    }
  }

  /** The name of a filter is no variable, what it is given may be some. */
  function visitFilter(filter: Node): void {
    if (filter.type === 'CallExpression') visit(filter.args);
  }

  function visitField(name: string): void {
    const isKnown = fields.has(name) || isMethod(name) || DICT_ATTRIBUTES.has(name);
    if (!isKnown) missing.fields.add(name);
  }
}

/** What a node gives values to. */
function assigned(node: Node): readonly Node[] {
  if (node.type === 'Set') return [node.assignee];
  if (node.type === 'For') return [node.loopvar];
  if (node.type === 'Macro') return node.args;
  return node.type === 'CallStatement' ? (node.callerArgs ?? []) : [];
}

function addTarget(target: Node, variables: Set<string>, fields: Set<string>): void {
  if (target.type === 'Identifier') variables.add(target.value);
  else if (target.type === 'TupleLiteral' || target.type === 'ArrayLiteral') {
    for (const item of target.value) addTarget(item, variables, fields);
  } else if (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
    fields.add(target.property.value);
  } else if (target.type === 'KeywordArgumentExpression') variables.add(target.key.value);
}
