import { callFilter } from './filters.js';
import { callMethod, DICT_ATTRIBUTES } from './methods.js';
import { type CallNode, type ForNode, isGenerationBlock, type MacroNode, type Node } from './nodes.js';
import { iterate, memberOf, operate, sliceOf } from './operators.js';
import { callTest } from './tests.js';
import { Text } from './text.js';
import {
  asNumber,
  type CallArguments,
  Callable,
  Dict,
  int,
  isTrue,
  Namespace,
  Num,
  TemplateFault,
  toText,
  Undefined,
  type Value,
} from './value.js';

/** A printed piece. */
export interface Chunk {
  readonly text: Text;
  /** the message whose loop it was printed in, -1 outside */
  readonly turn: number;
  /** it was printed in a generation block */
  readonly generated: boolean;
}

/** Runs a template as Python's Jinja2 does. Throws TemplateFault where Python would raise. */
export function runTemplate(program: Node, variables: ReadonlyMap<string, Value>): Chunk[] {
  const run = new Run();
  const scope = new Scope(null);
  for (const [name, value] of variables) scope.set(name, value);
  run.execute([program], scope);
  return run.chunks;
}

class Scope {
  private readonly names = new Map<string, Value>();

  constructor(private readonly parent: Scope | null) {}

  set(name: string, value: Value): void {
    this.names.set(name, value);
  }

  get(name: string): Value {
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      const value = scope.names.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(name);
  }
}

/** Leaves a loop or an iteration; what was printed before stays. */
class LoopJump extends Error {
  constructor(readonly leaves: boolean) {
    super('a loop control outside a loop');
  }
}

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

class Run {
  chunks: Chunk[] = [];
  #turn = -1;
  #generated = false;

  execute(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) this.#statement(node, scope);
  }

  #statement(node: Node, scope: Scope): void {
    switch (node.type) {
      case 'Program':
        this.execute(node.body, scope);
        break;
      case 'Comment':
        break;
      case 'If':
        this.execute(isTrue(this.#value(node.test, scope)) ? node.body : node.alternate, scope);
        break;
      case 'For':
        this.#loop(node, scope);
        break;
      case 'Break':
      case 'Continue':
        throw new LoopJump(node.type === 'Break');
      case 'Set': {
        const value =
          node.value === null ? this.#capture(node.body, new Scope(scope)) : this.#value(node.value, scope);
        this.#assign(node.assignee, value, scope);
        break;
      }
      case 'Macro':
        scope.set(node.name.value, this.#macro(node, scope));
        break;
      case 'CallStatement': {
        if (isGenerationBlock(node)) {
          this.#generation(node.body, new Scope(scope));
          break;
        }
        const caller = this.#macro(
          { type: 'Macro', name: { value: 'caller' }, args: node.callerArgs ?? [], body: node.body },
          scope,
        );
        const args = this.#arguments(node.call.args, scope);
        const named = new Map([...args.named, ['caller', caller]] as const);
        this.#print(this.#call(node.call, { positional: args.positional, named }, scope));
        break;
      }
      case 'FilterStatement':
        this.#print(this.#filter(node.filter, this.#capture(node.body, new Scope(scope)), scope));
        break;
      default:
        this.#print(this.#value(node, scope));
        break;
    }
  }

  #print(value: Value): void {
    const text = toText(value);
    if (text.text !== '') this.chunks.push({ text, turn: this.#turn, generated: this.#generated });
  }

  #generation(nodes: readonly Node[], scope: Scope): void {
    const outer = this.#generated;
    this.#generated = true;
    try {
      this.execute(nodes, scope);
    } finally {
      this.#generated = outer;
    }
  }

  #capture(nodes: readonly Node[], scope: Scope): Text {
    const outer = this.chunks;
    this.chunks = [];
    try {
      this.execute(nodes, scope);
      return Text.join(this.chunks.map((chunk) => chunk.text));
    } finally {
      this.chunks = outer;
    }
  }

  #assign(target: Node, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') {
      scope.set(target.value, value);
    } else if (target.type === 'TupleLiteral') {
      const items = iterate(value);
      if (items.length !== target.value.length) throw new TemplateFault('wrong number of values to unpack');
      target.value.forEach((name, i) => {
        this.#assign(name, items[i] ?? null, scope);
      });
    } else if (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
      const object = this.#value(target.object, scope);
      if (!(object instanceof Namespace))
        throw new TemplateFault('cannot assign to an attribute of a non-namespace');
      object.values.set(target.property.value, value);
    } else {
      throw new TemplateFault(`cannot assign to ${target.type}`);
    }
  }

  #loop(node: ForNode, scope: Scope): void {
    const select = node.iterable.type === 'SelectExpression' ? node.iterable : null;
    let items = iterate(this.#value(select === null ? node.iterable : select.lhs, scope));
    if (select !== null) {
      items = items.filter((item) => {
        const inner = new Scope(scope);
        this.#assign(node.loopvar, item, inner);
        return isTrue(this.#value(select.test, inner));
      });
    }
    if (items.length === 0) this.execute(node.defaultBlock, new Scope(scope));
    const outer = this.#turn;
    try {
      items.forEach((item, i) => {
        const inner = new Scope(scope);
        inner.set('loop', loopVariable(items, i));
        this.#assign(node.loopvar, item, inner);
        if (item instanceof Dict && item.turn >= 0) this.#turn = item.turn;
        try {
          this.execute(node.body, inner);
        } catch (jump) {
          if (!(jump instanceof LoopJump) || jump.leaves) throw jump;
        }
      });
    } catch (jump) {
      if (!(jump instanceof LoopJump)) throw jump;
    } finally {
      this.#turn = outer;
    }
  }

  #macro(node: MacroNode, scope: Scope): Callable {
    return new Callable(({ positional, named }) => {
      const inner = new Scope(scope);
      const caller = named.get('caller');
      if (caller !== undefined) inner.set('caller', caller);
      node.args.forEach((parameter, i) => {
        const keyword = parameter.type === 'KeywordArgumentExpression';
        const name = keyword ? parameter.key.value : parameter.type === 'Identifier' ? parameter.value : '';
        const given = i < positional.length ? positional[i] : named.get(name);
        const otherwise = (): Value => (keyword ? this.#value(parameter.value, inner) : new Undefined(name));
        inner.set(name, given === undefined ? otherwise() : given);
      });
      if (positional.length > node.args.length)
        throw new TemplateFault(`macro ${node.name.value}: too many arguments`);
      return this.#capture(node.body, inner);
    });
  }

  #value(node: Node, scope: Scope): Value {
    switch (node.type) {
      case 'StringLiteral':
        return new Text(node.value);
      case 'IntegerLiteral':
        return int(node.value);
      case 'FloatLiteral':
        return new Num(node.value, true);
      case 'ArrayLiteral':
      case 'TupleLiteral':
        return node.value.map((item) => this.#value(item, scope));
      case 'ObjectLiteral': {
        const dict = new Dict();
        for (const [key, item] of node.value)
          dict.set(toText(this.#value(key, scope)).text, this.#value(item, scope));
        return dict;
      }
      case 'Identifier': {
        const constant = CONSTANTS.get(node.value);
        return constant === undefined ? scope.get(node.value) : constant;
      }
      case 'MemberExpression':
        return this.#member(node, scope);
      case 'CallExpression':
        return this.#call(node, this.#arguments(node.args, scope), scope);
      case 'FilterExpression':
        return this.#filter(node.filter, this.#value(node.operand, scope), scope);
      case 'TestExpression':
        return callTest(node.test.value, this.#value(node.operand, scope)) !== node.negate;
      case 'SelectExpression':
        return isTrue(this.#value(node.test, scope)) ? this.#value(node.lhs, scope) : new Undefined('else');
      case 'Ternary':
        return this.#value(
          isTrue(this.#value(node.condition, scope)) ? node.trueExpr : node.falseExpr,
          scope,
        );
      case 'UnaryExpression': {
        const operand = this.#value(node.argument, scope);
        if (node.operator.value === 'not') return !isTrue(operand);
        const sign = node.operator.value === '-' ? -1 : 1;
        if (asNumber(operand) === null) throw new TemplateFault('a sign before a value that is no number');
        return operate('*', operand, int(sign));
      }
      case 'BinaryExpression': {
        const left = this.#value(node.left, scope);
        if (node.operator.value === 'and') return isTrue(left) ? this.#value(node.right, scope) : left;
        if (node.operator.value === 'or') return isTrue(left) ? left : this.#value(node.right, scope);
        return operate(node.operator.value, left, this.#value(node.right, scope));
      }
      default:
        throw new TemplateFault(`${node.type} is not supported here`);
    }
  }

  #member(node: Node & { type: 'MemberExpression' }, scope: Scope): Value {
    const object = this.#value(node.object, scope);
    const { property } = node;
    if (!node.computed) {
      const key = property.type === 'Identifier' ? new Text(property.value) : this.#value(property, scope);
      const shadowed = object instanceof Dict && key instanceof Text && DICT_ATTRIBUTES.has(key.text);
      return shadowed ? method(object, key.text) : memberOf(object, key);
    }
    if (property.type === 'SliceExpression') {
      const bound = (at: Node | undefined) => (at === undefined ? null : this.#value(at, scope));
      return sliceOf(object, {
        start: bound(property.start),
        stop: bound(property.stop),
        step: bound(property.step),
      });
    }
    const key = this.#value(property, scope);
    const found = memberOf(object, key);
    const attribute = object instanceof Dict && key instanceof Text && DICT_ATTRIBUTES.has(key.text);
    return found instanceof Undefined && attribute ? method(object, key.text) : found;
  }

  #arguments(nodes: readonly Node[], scope: Scope): CallArguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of nodes) {
      if (node.type === 'KeywordArgumentExpression') {
        named.set(node.key.value, this.#value(node.value, scope));
      } else if (node.type === 'SpreadExpression') {
        positional.push(...iterate(this.#value(node.argument, scope)));
      } else if (node.type === 'KeywordSpreadExpression') {
        const spread = this.#value(node.argument, scope);
        if (!(spread instanceof Dict)) throw new TemplateFault('** takes a mapping');
        for (const [name, value] of spread) named.set(name, value);
      } else {
        positional.push(this.#value(node, scope));
      }
    }
    return { positional, named };
  }

  #call({ callee }: CallNode, args: CallArguments, scope: Scope): Value {
    if (callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier') {
      const object = this.#value(callee.object, scope);
      if (object instanceof Undefined) throw new TemplateFault(`${object.path} is undefined`);
      const result = callMethod(object, callee.property.value, args);
      if (result !== undefined) return result;
    }
    const called = this.#value(callee, scope);
    if (!(called instanceof Callable)) throw new TemplateFault('a value that cannot be called');
    return called.call(args);
  }

  #filter(filter: Node, operand: Value, scope: Scope): Value {
    if (filter.type === 'Identifier')
      return callFilter(filter.value, operand, { positional: [], named: new Map() });
    if (filter.type === 'CallExpression' && filter.callee.type === 'Identifier') {
      return callFilter(filter.callee.value, operand, this.#arguments(filter.args, scope));
    }
    throw new TemplateFault(`${filter.type} is no filter`);
  }
}

function method(dict: Dict, name: string): Callable {
  return new Callable((args) => {
    const result = callMethod(dict, name, args);
    if (result === undefined) throw new TemplateFault(`dict.${name} is not supported`);
    return result;
  });
}

function loopVariable(items: readonly Value[], i: number): Dict {
  const { length } = items;
  const loop = new Dict([
    ['index', int(i + 1)],
    ['index0', int(i)],
    ['revindex', int(length - i)],
    ['revindex0', int(length - i - 1)],
    ['first', i === 0],
    ['last', i === length - 1],
    ['length', int(length)],
    ['depth', int(1)],
    ['depth0', int(0)],
  ]);
  const before = items[i - 1];
  const after = items[i + 1];
  if (before !== undefined) loop.set('previtem', before);
  if (after !== undefined) loop.set('nextitem', after);
  return loop;
}
