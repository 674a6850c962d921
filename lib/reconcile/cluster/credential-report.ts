import type { KubeconfigCredential } from '../../clusters/client/credential.ts'
import type { ClusterCredential } from '../../foundations/kinds/cluster.ts'
import { type NewCondition, timestamp } from '../../foundations/rules/conditions.ts'
import { expiresSoon } from '../../foundations/rules/credential-life.ts'
import type { Probe } from './probe.ts'

/** The status of a credential: its type and expiry, never its content. */
export const credentialStatus = ({ type, expires }: KubeconfigCredential): ClusterCredential => ({
  type,
  ...(expires !== undefined && { validUntil: timestamp(expires) }),
})

/**
 * The condition CredentialsValid. A credential that the cluster accepts is valid, whatever this machine's clock says. If the cluster does not
 * respond, only its expiry is known.
 */
export const credentialsValid = (credential: KubeconfigCredential, probe: Probe, now: number): NewCondition => {
  const { expires } = credential
  const name = names[credential.type]
  const until = expires === undefined ? '' : timestamp(expires)
  const hasExpired = expires !== undefined && expires <= now
  if (probe.type !== 'reachable' && hasExpired)
    return { status: 'False', reason: 'Expired', message: `${name} expired at ${until}` }
  if (probe.type === 'refused')
    return { status: 'False', reason: 'Unauthorized', message: `the cluster refuses ${name}: ${probe.message}` }
  if (probe.type === 'unreachable')
    return { status: 'Unknown', reason: 'ClusterUnreachable', message: `the cluster could not check ${name}` }
  if (expiresSoon(credential, now))
    return { status: 'True', reason: 'ExpiresSoon', message: `${name} expires at ${until}: replace it` }
  return { status: 'True', reason: 'Accepted', message: `${name} is accepted${until && `, valid until ${until}`}` }
}

const names: Readonly<Record<ClusterCredential['type'], string>> = {
  ClientCertificate: 'the client certificate',
  Token: 'the token',
  BasicAuth: 'the user name and password',
  HubIdentity: "the hub's identity",
  None: 'access without a credential',
}
