/** What stores may know of a run, so that lists need not open those that they do not select. */
import { namesIn, type RunContent } from '../../foundations/kinds/run.ts'

/** A line for each fact. */
export const factsOf = ({ cluster, cause, result }: Pick<RunContent, 'cluster' | 'cause' | 'result'>): string => {
  const facts = [
    ...(cluster ? [`cluster=${cluster.name}`] : []),
    ...[`cause=${cause.type}`, `result=${result}`],
    ...[cause.user, cause.author].flatMap(name => (name ? [`by=${name}`] : [])),
  ]
  return `\n${facts.join('\n')}\n`
}

/** Parts of the facts of all runs that have these values of fields; `required` returns the value that a selector demands. */
export const factsWith = (required: (field: string) => string | undefined): readonly string[] => {
  // A field without a value is no fact.
  const line = (fact: string, field: string) => (required(field) ? [`\n${fact}=${required(field)}\n`] : [])
  return [
    ...line('cluster', 'cluster.name'),
    ...line('cause', 'cause.type'),
    ...line('result', 'result'),
    // Some names are parts of a user or an author.
    ...[required('by'), required('cause.user')].filter(name => name !== undefined && name !== ''),
  ] as readonly string[]
}

/** What most runs have: those are found soon without a key, from the newest on. */
const usual = { cause: 'Source', result: 'Succeeded' }

/** Longer names contain a short one: they are no keys, as each costs a write. */
const isShort = (name: string): boolean => !/^Receiver \S+ for |<.*>$/.test(name)

/** The keys by which a store finds a run without reading others. */
export const keysOf = ({
  cluster,
  cause,
  result,
}: Pick<RunContent, 'cluster' | 'cause' | 'result'>): readonly string[] => [
  ...new Set(namesIn({ cause }).filter(isShort)).values().map(name => `by=${name}`),
  ...(cause.type === usual.cause ? [] : [`cause=${cause.type}`]),
  ...(result === usual.result ? [] : [`result=${result}`]),
  ...(cluster ? [`cluster=${cluster.name}`] : []),
]

/** A key that all runs with these values of fields have, the rarest one first; undefined if there is none. */
export const keyWith = (required: (field: string) => string | undefined): string | undefined => {
  const [by, cause, result, cluster] = ['by', 'cause.type', 'result', 'cluster.name'].map(required)
  const name = by ?? required('cause.user')
  if (name && isShort(name)) return `by=${name}`
  if (cause && cause !== usual.cause) return `cause=${cause}`
  if (result && result !== usual.result) return `result=${result}`
  return cluster ? `cluster=${cluster}` : undefined
}
