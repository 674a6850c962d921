import { readProxy, readTls, type SecretContent } from '../../http/connection-secrets.ts'
import type { ConnectionOptions } from '../../http/connections.ts'
import type { Hub } from '../../hub/hub.ts'
import { readSecret } from '../../hub/read-secret.ts'

interface Reference {
  readonly name: string
}

/** A Secret that a spec names is missing. The message is Flux's. */
export class MissingSecret extends Error {
  constructor(name: string) {
    super(`secret '${name}' not found`)
    this.name = 'MissingSecret'
  }
}

/** The certificates in spec.certSecretRef, if any. Fails with MissingSecret or BadSecret. */
export const loadTls = async (
  hub: Pick<Hub, 'get'>,
  namespace: string,
  reference: Reference | undefined,
): Promise<Pick<ConnectionOptions, 'tls'>> =>
  reference?.name ? { tls: readTls(await requireSecret(hub, namespace, reference.name)) } : {}

/** The proxy in spec.proxySecretRef, if any. Fails with MissingSecret or BadSecret. */
export const loadProxy = async (
  hub: Pick<Hub, 'get'>,
  namespace: string,
  reference: Reference | undefined,
): Promise<Pick<ConnectionOptions, 'proxy'>> =>
  reference?.name ? { proxy: readProxy(await requireSecret(hub, namespace, reference.name)) } : {}

const requireSecret = async (hub: Pick<Hub, 'get'>, namespace: string, name: string): Promise<SecretContent> => {
  const secret = await readSecret(hub, namespace, name)
  if (!secret) throw new MissingSecret(`${namespace}/${name}`)
  return secret
}
