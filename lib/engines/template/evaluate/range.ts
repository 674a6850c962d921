import { formatValue } from '../format/format-value.ts'
import type { BranchNode, Statement } from '../parse/node.ts'
import { Bytes } from '../values/bytes.ts'
import { sortedKeys } from '../values/text.ts'
import { holdsInterfaces, Int, int, integerOf, StructKeyMap, type Value } from '../values/value.ts'
import { compileCommands, compileDeclarations, inScope, type Scope } from './compile-pipeline.ts'
import type { Ending, Execution, TemplateRun } from './run.ts'

type Turn = (index: Value, item: Value) => Ending

/** Compiles a loop over a list, a map in key order, or the integers below a number; `else` runs if there are no items. */
export const compileRange = (
  node: BranchNode,
  scope: Scope,
  compileList: (list: readonly Statement[]) => Execution,
): Execution => {
  const { pipe } = node
  const items = compileCommands(pipe, scope)
  const stores = compileDeclarations(pipe, scope)
  const body = inScope(scope, () => compileList(node.list))
  const otherwise = node.elseList && compileList(node.elseList)
  const [setItem, setIndex] = stores.toReversed()
  return run => {
    run.begin(node.start)
    const value = items(run)
    for (const store of stores) store(run, value)
    const isBoxed = holdsInterfaces(value)
    const { dot, isDotBoxed } = run
    const turn: Turn = (index, item) => {
      run.step()
      setIndex?.(run, index)
      setItem?.(run, item, isBoxed)
      run.dot = item
      run.isDotBoxed = isBoxed
      return body(run)
    }
    const isEmpty = each(run, value, stores.length, turn)
    run.dot = dot
    run.isDotBoxed = isDotBoxed
    return isEmpty && otherwise ? otherwise(run) : 'end'
  }
}

/** Runs the body for each item until one breaks; returns whether there were no items. */
const each = (run: TemplateRun, value: Value, names: number, turn: Turn): boolean => {
  if (value === undefined) return true
  if (value instanceof Bytes) return each(run, value.underlying, names, turn)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (turn(int(i), value[i]) === 'break') break
    return value.length === 0
  }
  if (value instanceof Map) {
    // Read before the first iteration, as in Go: the body may set or unset keys.
    const entries = sortedKeys(value).map(key => [key, value.get(key)] as const)
    const keyOf = (key: string): Value => (value instanceof StructKeyMap ? value.keyOf(key) : key)
    for (const [key, item] of entries) if (turn(keyOf(key), item) === 'break') break
    return entries.length === 0
  }
  const count = integerOf(value)
  if (count === undefined) return run.fail(`range can't iterate over ${formatValue(value)}`)
  if (names > 1) run.fail(`can't use ${formatValue(value)} to iterate over more than one variable`)
  const ofSameType = (i: bigint): Value => (value instanceof Int ? new Int(i, value.kind) : i)
  for (let i = 0n; i < count; i++) if (turn(undefined, ofSameType(i)) === 'break') break
  return count <= 0n
}
