import { isFilter } from './filters.js';
import { isMethod } from './methods.js';
import { type Node, walk } from './nodes.js';
import { isOperator } from './operators.js';
import { isTest } from './tests.js';

/** Names of what a template uses and this project does not run exactly, in order, without repeats. */
export function unsupportedConstructs(program: Node): string[] {
  const found = new Set<string>();
  walk(program, (node) => visitNode(node, found));
  return [...found];
}

function visitNode(node: Node, found: Set<string>): void {
  switch (node.type) {
    case 'FilterExpression':
    case 'FilterStatement': {
      const { filter } = node;
      const name = filter.type === 'CallExpression' ? nameOf(filter.callee) : nameOf(filter);
      if (!isFilter(name)) found.add(`filter ${name}`);
      return;
    }
    case 'TestExpression':
      if (!isTest(node.test.value)) found.add(`test ${node.test.value}`);
      return;
    case 'BinaryExpression':
      if (!isOperator(node.operator.value)) found.add(`operator ${node.operator.value}`);
      return;
    case 'CallExpression': {
      const { callee } = node;
      if (callee.type === 'MemberExpression' && !callee.computed && !isMethod(nameOf(callee.property))) {
        found.add(`method ${nameOf(callee.property)}`);
      }
      return;
    }
    default:
  }
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' ? node.value : node.type;
}
