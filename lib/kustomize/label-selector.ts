import { KustomizeError } from './kustomize-error.ts'

type Requirement = (labels: ReadonlyMap<string, string>) => boolean

const EXPRESSION =
  /^\s*(!)?\s*([A-Za-z0-9./_-]+)\s*(?:(==|=|!=|<|>)\s*([A-Za-z0-9./_-]*)|(in|notin)\s*\(([^)]*)\))?\s*$/

/** Reads a label selector as kubectl has them: `a=b,c!=d,e in (f,g),h,!i`. */
export const parseLabelSelector = (selector: string): Requirement => {
  const requirements = splitOutside(selector).map(part => parseRequirement(part, selector))
  return labels => requirements.every(matches => matches(labels))
}

/** Splits at commas that stand in no parentheses. */
const splitOutside = (selector: string): string[] => (selector.trim() === '' ? [] : selector.split(/,(?![^(]*\))/))

const parseRequirement = (part: string, selector: string): Requirement => {
  const match = EXPRESSION.exec(part)
  if (!match) throw new KustomizeError(`unable to parse requirement: found '${part.trim()}' in ${selector}`)
  const [, not, key, operator, value, set, values] = match
  if (not) {
    if (operator || set) throw new KustomizeError(`unable to parse requirement: found '${part.trim()}' in ${selector}`)
    return labels => !labels.has(key!)
  }
  if (set) {
    const wanted = values!.split(',').map(text => text.trim())
    if (set === 'in') return labels => labels.has(key!) && wanted.includes(labels.get(key!)!)
    return labels => !labels.has(key!) || !wanted.includes(labels.get(key!)!)
  }
  switch (operator) {
    case undefined:
      return labels => labels.has(key!)
    case '!=':
      return labels => labels.get(key!) !== value
    case '<':
      return labels => labels.has(key!) && Number(labels.get(key!)) < Number(value)
    case '>':
      return labels => labels.has(key!) && Number(labels.get(key!)) > Number(value)
    default:
      return labels => labels.get(key!) === value
  }
}
