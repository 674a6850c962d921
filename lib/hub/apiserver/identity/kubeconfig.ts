import { emitJson } from '../../../engines/yaml/emit-json.ts'
import type { Certificate } from './certificate.ts'

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string
  /** PEM. */
  readonly authority: string
  /** The user's credentials. */
  readonly token?: string
  readonly client?: Certificate
  /** Names the cluster, the user and the context. */
  readonly name?: string
}

/** A kubeconfig (YAML) for kubectl and flux to reach this hub. It contains a token: only its owner may read it. */
export const kubeconfig = ({ server, authority, token, client, name = 'keelson' }: KubeconfigOptions): string =>
  emitJson({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [{ name, user: { ...(token && { token }), ...(client && certificateOf(client)) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })

const certificateOf = ({ certificate, key }: Certificate) => ({
  'client-certificate-data': base64(certificate),
  'client-key-data': base64(key),
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
