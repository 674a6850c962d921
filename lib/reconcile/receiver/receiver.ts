import { hash } from 'node:crypto'
import type { Hub } from '../../hub/hub.ts'
import { formatDuration } from '../../kinds/duration.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { Receiver } from '../../kinds/receiver.ts'
import { intervalOf, receiver as kind } from '../../kinds/receiver.ts'
import { Halt } from '../runtime/halt.ts'
import type { Done, Outcome, Pass, Reconciler } from '../runtime/reconciler.ts'

export interface ReceiverPorts {
  readonly hub: Pick<Hub, 'get'>
}

/** Keeps a Receiver's address up to date with the token in its Secret, as notification-controller does. */
export const receiverReconciler = ({ hub }: ReceiverPorts): Reconciler<Receiver> => ({
  kind,
  stage: 'notify',
  manager: 'notification-controller',
  intervalOf,
  passTimeoutOf: () => 30_000,
  reactsTo: ['Secret'],
  reconcile: (receiver, pass) => attempt(hub, receiver, pass).catch(outcomeOf),
  finalize: async () => undefined,
})

const outcomeOf = (error: unknown): Outcome<Receiver> => {
  if (error instanceof Halt) return (error as Halt<Receiver>).outcome
  throw error
}

const attempt = async (hub: Pick<Hub, 'get'>, receiver: Receiver, pass: Pass<Receiver>): Promise<Done<Receiver>> => {
  requireSupported(receiver)
  const webhookPath = webhookPathOf(receiver, await requireToken(hub, receiver, pass))
  const interval = formatDuration(intervalOf(receiver))
  pass.event({ severity: 'info', reason: 'Succeeded', message: `Reconciliation finished, next run in ${interval}` })
  return {
    type: 'done',
    reason: 'Succeeded',
    message: `Receiver initialized for path: ${webhookPath}`,
    status: { webhookPath },
  }
}

/** Flux's derivation: nobody who doesn't know the token can guess the path. */
const webhookPathOf = ({ metadata }: Receiver, token: string): string =>
  `/hook/${hash('sha256', `${token}${metadata.name}${metadata.namespace}`)}`

const requireToken = async (hub: Pick<Hub, 'get'>, receiver: Receiver, pass: Pass<Receiver>): Promise<string> => {
  const { namespace = '' } = receiver.metadata
  const name = receiver.spec.secretRef?.name ?? ''
  const secret = await hub.get<Secret>({ group: '', kind: 'Secret', namespace, name })
  const token = secret?.data?.token
  if (token) return Buffer.from(token, 'base64').toString()
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

type Secret = KubernetesObject & { readonly data?: Readonly<Record<string, string>> }

const supportedTypes = ['generic', 'generic-hmac', 'github']

/** Fields that choose who may call, or what a call sets off, are never ignored in silence. */
const requireSupported = ({ spec }: Receiver): void => {
  const asked = [
    !supportedTypes.includes(spec.type) && `spec.type '${spec.type}'`,
    spec.resourceFilter && 'spec.resourceFilter',
    spec.resources.some(({ filter }) => filter) && 'spec.resources[].filter',
  ].filter(field => typeof field === 'string')
  if (asked.length === 0) return
  const message = `${asked.join(', ')}: not supported by Keelson yet`
  throw new Halt<Receiver>({ type: 'stalled', reason: 'NotSupported', message, status: { webhookPath: null } })
}
