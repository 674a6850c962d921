import { X509Certificate } from 'node:crypto'
import type { ClusterCredential } from '../../foundations/kinds/cluster.ts'
import type { ClusterAccess } from './kubeconfig.ts'

/** A credential in a kubeconfig, with its validity in milliseconds since the epoch, if known. */
export interface KubeconfigCredential {
  readonly type: ClusterCredential['type']
  readonly issued?: number
  readonly expires?: number
}

/**
 * The credential of a kubeconfig; if there are several, the one that expires first. Tokens are read without their
 * signature being verified: only the cluster can do that. A token that is not a JWT has no known expiry.
 */
export const credentialOf = (access: ClusterAccess): KubeconfigCredential => {
  const found: KubeconfigCredential[] = [
    ...(access.clientCertificate ? [certificateLife(access.clientCertificate)] : []),
    ...(access.token ? [tokenLife(access.token)] : []),
    ...(access.basicAuth ? [{ type: 'BasicAuth' } as const] : []),
    ...(access.eks ? [{ type: 'HubIdentity' } as const] : []),
  ]
  const [first] = found.toSorted((a, b) => (a.expires ?? Infinity) - (b.expires ?? Infinity) || 0)
  return first ?? { type: 'None' }
}

const certificateLife = (pem: string): KubeconfigCredential => {
  const { validFromDate, validToDate } = new X509Certificate(pem)
  return { type: 'ClientCertificate', issued: validFromDate.getTime(), expires: validToDate.getTime() }
}

const tokenLife = (token: string): KubeconfigCredential => {
  const { iat, exp } = claimsOf(token)
  return {
    type: 'Token',
    ...(typeof iat === 'number' && { issued: iat * 1000 }),
    ...(typeof exp === 'number' && { expires: exp * 1000 }),
  }
}

const claimsOf = (token: string): { readonly iat?: unknown; readonly exp?: unknown } => {
  const [, payload = '', ...rest] = token.split('.')
  if (rest.length !== 1) return {}
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) ?? {}
  } catch {
    return {}
  }
}
