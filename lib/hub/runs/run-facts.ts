/** What stores may know of a run, so that lists need not open those that they do not select. */
import type { RunContent } from '../../foundations/kinds/run.ts'

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
