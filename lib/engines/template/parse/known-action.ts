import type { Head, KnownAction } from './action-head.ts'
import { MAX_DEPTH, type Parsing, type Scope } from './parsing.ts'

/**
 * The action that starts here, behind its left delimiter: as known, or as parsed by `parse`. Known is what ends at the first right
 * delimiter in the text: an action with a delimiter in quotes is parsed each time.
 */
export const knownOrParsed = (
  parsing: Parsing,
  scope: Scope,
  parse: (parsing: Parsing, scope: Scope) => Head,
): Head => {
  const { text, start, right, tokens, known } = parsing
  const end = text.indexOf(right, start) + right.length
  const key = end < right.length ? '' : text.slice(start, end)
  const found = known.get(key)
  if (found && fits(found, scope)) {
    tokens.leaveAction(end, found.trims)
    scope.variables.push(...found.declared)
    return found.head
  }
  const { length } = scope.variables
  parsing.used = []
  parsing.deepest = scope.depth
  const head = parse(parsing, scope)
  if (!found && tokens.endOfAction === end && isShared(head))
    known.set(key, {
      head,
      used: parsing.used.filter(name => scope.variables.indexOf(name) < length),
      declared: scope.variables.slice(length),
      depth: parsing.deepest - scope.depth,
      trims: tokens.trims,
    })
  return head
}

/** Whether it means the same in every place: `break` and `continue` depend on their loop, and a block continues after its head. */
const isShared = ({ type }: Head): boolean => type !== 'break' && type !== 'continue' && type !== 'block'

const fits = ({ used, depth }: KnownAction, scope: Scope): boolean =>
  scope.depth + depth <= MAX_DEPTH && used.every(name => scope.variables.includes(name))
