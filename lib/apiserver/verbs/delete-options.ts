import { badRequest } from '../../hub/api-errors.ts'
import type { DeleteOptions } from '../../hub/hub.ts'
import { invalid as invalidField, unsupported } from '../../kinds/schema/field-error.ts'
import type { Call } from '../call.ts'
import { optionalBodyObject } from '../wire/body.ts'
import { dryRunProblems, requireNone } from './write-options.ts'

const policies = ['Background', 'Foreground', 'Orphan'] as const

/** metav1.DeleteOptions: from the body when there is one, else from the query. */
export const deleteOptionsOf = async (call: Call): Promise<DeleteOptions> => {
  const given = await givenOptions(call)
  const { propagationPolicy: policy, orphanDependents: orphan } = given
  requireNone('DeleteOptions', [
    ...dryRunProblems(given.dryRun),
    ...(policy !== undefined && orphan !== undefined
      ? [invalidField('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set')]
      : []),
    ...(policy === undefined || policies.some(known => known === policy)
      ? []
      : [unsupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil'])]),
  ])
  const propagation = policy ?? (orphan === undefined ? undefined : orphan ? 'Orphan' : 'Background')
  return {
    ...(propagation && { propagation: propagation as DeleteOptions['propagation'] }),
    ...(given.uid !== undefined && { uid: given.uid }),
    ...(given.resourceVersion !== undefined && { resourceVersion: given.resourceVersion }),
    dryRun: given.dryRun.includes('All'),
  }
}

interface GivenOptions {
  readonly propagationPolicy?: string
  readonly orphanDependents?: boolean
  readonly uid?: string
  readonly resourceVersion?: string
  readonly dryRun: readonly string[]
}

const givenOptions = async ({ request, query }: Call): Promise<GivenOptions> => {
  const body = await optionalBodyObject(request, 'DeleteOptions')
  if (!body)
    return {
      propagationPolicy: query.get('propagationPolicy') ?? undefined,
      orphanDependents: query.has('orphanDependents') ? query.get('orphanDependents') === 'true' : undefined,
      dryRun: query.getAll('dryRun'),
    }
  if (body.kind !== undefined && body.kind !== 'DeleteOptions')
    throw badRequest(`decoded object cannot be converted to DeleteOptions: it is a ${String(body.kind)}`)
  const { propagationPolicy, orphanDependents, preconditions, dryRun } = body
  const { uid, resourceVersion } = (preconditions ?? {}) as Readonly<Record<string, unknown>>
  return {
    ...(typeof propagationPolicy === 'string' && { propagationPolicy }),
    ...(typeof orphanDependents === 'boolean' && { orphanDependents }),
    ...(typeof uid === 'string' && { uid }),
    ...(typeof resourceVersion === 'string' && { resourceVersion }),
    dryRun: Array.isArray(dryRun) ? dryRun.map(String) : [],
  }
}
