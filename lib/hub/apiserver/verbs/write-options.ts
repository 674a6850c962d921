import type { FieldError } from '../../../foundations/kinds/schema/field-error.ts'
import { forbidden, required, unsupported } from '../../../foundations/kinds/schema/field-error.ts'
import { checkFieldManager } from '../../../foundations/kinds/schema/validate-metadata.ts'
import { invalid } from '../../store/api-errors.ts'
import type { WriteOptions } from '../../store/hub.ts'
import type { Authorize } from '../authentication/caller.ts'
import type { Api, Call } from '../call.ts'
import { cycleWarning } from '../dependency-cycle.ts'
import { isExempt } from '../fairness/flow.ts'
import { requireAllowed } from '../require-allowed.ts'

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

/** The query options of all writes. Fails with Invalid for the verb's options. */
export const writeOptionsOf = (
  { authorizer, hub }: Pick<Api, 'authorizer' | 'hub'>,
  call: Call,
  kind: OptionsKind,
  isApply = false,
): WriteOptions => {
  const { query, request, info, warnings, user } = call
  const given = query.get('fieldManager') ?? ''
  const validation = query.get('fieldValidation') || 'Warn'
  requireNone(kind, [
    ...dryRunProblems(query.getAll('dryRun')),
    ...checkFieldManager(given),
    ...(isApply && !given ? [required('fieldManager', 'is required for apply patch')] : []),
    ...(kind === 'PatchOptions' && !isApply && query.has('force')
      ? [forbidden('force', 'may not be specified for non-apply patch')]
      : []),
    ...(isValidation(validation) ? [] : [unsupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn'])]),
  ])
  return {
    fieldManager: given || managerOf(request.headers.get('user-agent') ?? ''),
    dryRun: isDryRun(query),
    fieldValidation: validation as WriteOptions['fieldValidation'],
    onWarning: warning => warnings.push(warning),
    admit: async (object, old) => {
      if (!old && kind !== 'CreateOptions') await requireCreatable(call, authorizer.authorize)
      await authorizer.requireGrantable(user, object, old)
      const cycle = info.subresource ? undefined : await cycleWarning(object, old, hub)
      if (cycle && !warnings.includes(cycle)) warnings.push(cycle)
    },
    isBounded: !isExempt(user),
    user: user.name,
    ...(info.subresource && { subresource: info.subresource as WriteOptions['subresource'] }),
  }
}

/** A right to patch is not a right to create: server-side apply requires both. */
const requireCreatable = ({ user, info, request }: Call, authorize: Authorize): Promise<void> => {
  const { verb, ...resource } = info
  return requireAllowed({ user, verb: 'create', path: new URL(request.url).pathname, resource }, authorize)
}

export const isDryRun = (query: URLSearchParams): boolean => query.getAll('dryRun').includes('All')

/** The errors of `dryRun`, of which Kubernetes knows `All` only. */
export const dryRunProblems = (given: readonly string[]): FieldError[] =>
  given.every(value => value === '' || value === 'All') ? [] : [unsupported('dryRun', given, ['All'])]

/**
 * Throws ApiError (422) with all errors of the query parameters, which Kubernetes validates as an object of this kind.
 */
export const requireNone = (kind: OptionsKind, problems: readonly FieldError[]): void => {
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, undefined, problems)
}

const isValidation = (value: string): boolean => value === 'Ignore' || value === 'Warn' || value === 'Strict'

/** The default manager is the first part of the User-Agent, cut to the maximum length. */
const managerOf = (userAgent: string): string => {
  const name = userAgent.split('/')[0]!.replace(/\p{C}/gu, '')
  return (
    Buffer.from(name)
      .subarray(0, 128)
      .toString('utf8')
      .replace(/\ufffd$/, '') || 'unknown'
  )
}
