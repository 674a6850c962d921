/** Arguments that several tools have, and how they name objects. */
import * as z from 'zod'
import { hubKindNamed, hubKinds } from '../foundations/kinds/hub-kinds.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { ToolFailure } from './tool.ts'

export const namespaceTerm = z.string().optional().describe('One namespace. All that you may list if absent.')

export const pageTerms = {
  limit: z.number().int().min(1).max(100).default(50).describe('Maximum number of items in the result.'),
  continue: z.string().optional().describe('`continue` of the page before.'),
}

export const objectTerms = {
  kind: z
    .string()
    .describe('Kind of the object: Kustomization, HelmRelease, GitRepository, Cluster... Short names do.'),
  namespace: z.string().describe('Namespace of the object.'),
  name: z.string().describe('Name of the object.'),
}

export const unitTerms = {
  kind: z.enum(['Kustomization', 'HelmRelease', 'ResourceSet']).describe('Kind of the unit.'),
  namespace: objectTerms.namespace,
  name: z.string().describe('Name of the unit.'),
}

export const continueTerm = z.string().optional().describe('Pass it as `continue` for the next page.')

/** A kind of the hub by any of its names, in any case. Fails with a ToolFailure that lists the names. */
export const kindNamed = (word: string): Kind => {
  const found = hubKindNamed(word)
  if (found) return found
  throw new ToolFailure(
    `unknown kind ${JSON.stringify(word)}: the kinds are ${hubKinds.map(({ kind }) => kind).join(', ')}`,
  )
}

/** For the reports on the fleet: with no namespace, all that the caller may list. */
export const reportPath = (
  report: 'summary' | 'clusters' | 'units' | 'versions',
  namespace: string | undefined,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string => {
  const scope = namespace === undefined ? { permitted: 'true' } : { namespace }
  const given = Object.entries({ ...scope, ...parameters }).filter((term): term is [string, string] => Boolean(term[1]))
  return `/fleet/${report}?${new URLSearchParams(given)}`
}
