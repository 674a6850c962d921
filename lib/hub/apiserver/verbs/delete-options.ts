import { invalid as invalidField, unsupported } from '../../../foundations/kinds/schema/field-error.ts'
import { describeTypeMismatch } from '../../../foundations/kinds/schema/go-types.ts'
import { badRequest } from '../../store/api-errors.ts'
import type { DeleteOptions } from '../../store/hub.ts'
import type { Call } from '../call.ts'
import { optionalBodyObject } from '../wire/body.ts'
import { dryRunProblems, requireNone } from './write-options.ts'

const policies = ['Background', 'Foreground', 'Orphan'] as const

/** metav1.DeleteOptions: from the body if there is one, otherwise from the query. */
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
    user: call.user.name,
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
  const body = await optionalBodyObject(request)
  if (!body)
    return {
      propagationPolicy: query.get('propagationPolicy') ?? undefined,
      orphanDependents: query.has('orphanDependents') ? query.get('orphanDependents') === 'true' : undefined,
      dryRun: query.getAll('dryRun'),
    }
  if (body.kind !== undefined && body.kind !== 'DeleteOptions')
    throw badRequest(`decoded object cannot be converted to DeleteOptions: it is a ${body.kind}`)
  const problem = describeTypeMismatch(shape, body, 'DeleteOptions')
  if (problem) throw badRequest(problem)
  const { preconditions, dryRun, ...given } = body as GivenBody
  const { uid, resourceVersion } = preconditions ?? {}
  return {
    propagationPolicy: given.propagationPolicy ?? undefined,
    orphanDependents: given.orphanDependents ?? undefined,
    uid: uid ?? undefined,
    resourceVersion: resourceVersion ?? undefined,
    dryRun: dryRun ?? [],
  }
}

const text = { type: 'string' } as const
/** Any field may be null, which counts as absent. */
const shape = {
  type: 'object',
  properties: {
    propagationPolicy: text,
    orphanDependents: { type: 'boolean' },
    preconditions: { type: 'object', properties: { uid: text, resourceVersion: text } },
    dryRun: { type: 'array', items: text },
  },
} as const

interface GivenBody {
  readonly propagationPolicy?: string | null
  readonly orphanDependents?: boolean | null
  readonly preconditions?: { readonly uid?: string | null; readonly resourceVersion?: string | null } | null
  readonly dryRun?: readonly string[] | null
}
