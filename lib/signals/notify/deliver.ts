import { CelError } from '../../engines/cel/cel-error.ts'
import { expression } from '../../engines/cel/expression.ts'
import type { Alert } from '../../foundations/kinds/alert.ts'
import { type Provider, type ProviderType, provider as providerKind } from '../../foundations/kinds/provider.ts'
import type { References } from '../../hub/references/references.ts'
import type { Connections } from '../../platform/http/connections.ts'
import { isCommitStatusUpdate, namesChangeRequest, namesCommit, withMetadataOf } from './event-metadata.ts'
import { withHttp } from './http.ts'
import { isFailure, type Notification } from './notification.ts'
import { loadProviderAccess, redactSecrets } from './provider-access.ts'
import type { Senders } from './senders/all.ts'

export interface DeliveryPorts {
  readonly references: References
  readonly connections: Connections
  readonly senders: Senders
}

/**
 * Sends an event to the Provider of an Alert. Fails with an Error whose message contains no secret; with NotDelivered
 * if a retry may help.
 */
export const deliver = async (
  { references, connections, senders }: DeliveryPorts,
  alert: Alert,
  event: Notification,
): Promise<void> => {
  const { name } = alert.spec.providerRef
  const provider = await references.local<Provider>(alert, providerKind, name)
  if (!provider)
    throw new Error(`failed to read provider: providers.notification.toolkit.fluxcd.io "${name}" not found`)
  if (provider.spec.suspend || !sends(provider.spec.type, event)) return
  const access = await loadProviderAccess(references, provider)
  const send = senders(access)
  const notification = withMetadataOf(event, alert)
  const commitStatus = commitStatusTypes.has(access.type) ? commitStatusOf(provider, alert, notification) : ''
  try {
    await withHttp(connections, access, http => send({ notification, access, alert, commitStatus, http, connections }))
  } catch (error) {
    const masked = error as Error
    masked.message = redactSecrets(masked.message, access)
    throw masked
  }
}

const commitStatusTypes: ReadonlySet<ProviderType> = new Set([
  ...(['github', 'gitlab', 'gitea', 'bitbucketserver', 'bitbucket', 'azuredevops'] as const),
])

const changeRequestTypes: ReadonlySet<ProviderType> = new Set([
  ...(['githubpullrequestcomment', 'gitlabmergerequestcomment', 'giteapullrequestcomment'] as const),
])

/**
 * Whether a provider type sends the event: commit statuses and comments only if the event is about a commit or a change
 * request; other types send all other events.
 */
const sends = (type: ProviderType, event: Notification): boolean => {
  if (changeRequestTypes.has(type)) return namesChangeRequest(event)
  if (commitStatusTypes.has(type)) return namesCommit(event) || isCommitStatusUpdate(event) || isFailure(event)
  return type === 'generic' || type === 'generic-hmac' || !isCommitStatusUpdate(event)
}

/**
 * The name of the commit status: the result of the Provider's expression, or the object plus the Provider, so that
 * clusters differ.
 */
const commitStatusOf = (provider: Provider, alert: Alert, event: Notification): string => {
  const { commitStatusExpr } = provider.spec
  const { kind, name } = event.involvedObject
  if (!commitStatusExpr) return `${kind}/${name}/${provider.metadata.uid?.split('-')[0]}`.toLowerCase()
  try {
    const status = expression(commitStatusExpr).evaluate({ event, alert, provider })
    if (typeof status === 'string' && status) return status
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new Error(
      `failed to evaluate the spec.commitStatusExpr CEL expression for the event: ${error.messageWithoutValues}`,
      {
        cause: error,
      },
    )
  }
  throw new Error(
    'failed to evaluate the spec.commitStatusExpr CEL expression for the event: the result is not a string',
  )
}
