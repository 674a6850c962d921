import { booleanExpression, expression as expressionOf } from '../../engines/cel/expression.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { intervalOf } from '../../foundations/kinds/receiver.ts'
import { namespaceOf, type References } from '../../hub/references/references.ts'
import { compileFilters, InvalidFilter } from '../../signals/webhook/filter.ts'
import type { PathSalts } from '../../signals/webhook/path-salts.ts'
import type { ReceiverSecrets } from '../../signals/webhook/receiver-secrets.ts'
import { webhookPath } from '../../signals/webhook/webhook-path.ts'
import { Halt, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { receiverAddress } from './receiver-address.ts'

export interface ReceiverPorts {
  readonly references: References
  readonly pathSalts: Pick<PathSalts, 'ensure' | 'forget'>
  readonly receiverSecrets: Pick<ReceiverSecrets, 'keep' | 'forget'>
}

/** Keeps a Receiver's path, and the token that verifies its requests, up to date with its Secret. */
export const receiverReconciler = (ports: ReceiverPorts): Reconciler<Receiver> => ({
  ...receiverAddress,
  manager: 'notification-controller',
  intervalOf,
  passTimeoutOf: () => 30_000,
  reconcile: (receiver, pass) => attempt(ports, receiver, pass).catch(outcomeOfHalt),
  finalize: async receiver => {
    await ports.pathSalts.forget(receiver)
    await ports.receiverSecrets.forget(receiver)
    return undefined
  },
})

const attempt = async (ports: ReceiverPorts, receiver: Receiver, pass: Pass<Receiver>): Promise<Done<Receiver>> => {
  requireUsable(receiver)
  const token = receiver.spec.secretRef ? await requireToken(ports, receiver, pass) : ''
  const salt = await ports.pathSalts.ensure(receiver, token)
  const path = webhookPath(receiver, token + salt)
  const interval = formatDuration(intervalOf(receiver))
  pass.event({ severity: 'info', reason: 'Succeeded', message: `Reconciliation finished, next run in ${interval}` })
  return {
    type: 'done',
    reason: 'Succeeded',
    message: `Receiver initialized for path: ${path}`,
    status: { webhookPath: path },
  }
}

const requireToken = async (
  { references, receiverSecrets }: ReceiverPorts,
  receiver: Receiver,
  pass: Pass<Receiver>,
): Promise<string> => {
  const namespace = namespaceOf(receiver)
  const name = receiver.spec.secretRef?.name ?? ''
  const secret = await references.localSecret(receiver, name)
  const token = secret?.data.get('token')?.toString()
  if (secret && token) {
    await receiverSecrets.keep(receiver, secret.data)
    return token
  }
  await receiverSecrets.forget(receiver)
  await pass.progress('Reconciliation in progress')
  const message = secret
    ? `invalid '${namespace}/${name}' secret data: required fields 'token'`
    : `unable to read token from secret '${namespace}/${name}' error: Secret "${name}" not found`
  throw new Halt<Receiver>({
    type: 'failed',
    reason: 'TokenNotFound',
    message,
    status: { webhookPath: null },
    event: { severity: 'error', reason: 'Failed', message },
  })
}

/** Invalid expressions are reported at once, rather than with the first request. */
const requireUsable = (receiver: Receiver): void => {
  try {
    compileFilters(receiver)
    requireExpressions(receiver)
  } catch (error) {
    if (!(error instanceof InvalidFilter)) throw error
    const { message } = error
    throw new Halt<Receiver>({ type: 'stalled', reason: 'InvalidCELExpression', message, cause: error })
  }
}

const requireExpressions = ({ spec }: Receiver): void => {
  for (const [i, { issuerURL, variables = [], validations }] of (spec.oidcProviders ?? []).entries()) {
    const parts = [
      ...variables.map(({ name, expression }) => ({ expression, place: `variable "${name}"`, check: expressionOf })),
      ...validations.map(({ message, expression }) => ({
        expression,
        place: `validation "${message}"`,
        check: booleanOf,
      })),
    ]
    for (const { expression, place, check } of parts)
      try {
        check(expression)
      } catch (error) {
        const where = `oidcProviders[${i}] (issuerURL="${issuerURL}"): invalid expression for ${place}`
        throw new InvalidFilter(`${where}: ${(error as Error).message}`, error)
      }
  }
}

const booleanOf = (text: string): unknown => booleanExpression(text, ['claims', 'vars'])
