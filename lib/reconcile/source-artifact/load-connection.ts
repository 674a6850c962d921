import { namespaceOf, type References, type Referrer, type StoredSecret } from '../../hub/references/references.ts'
import { readProxy, readTls } from '../../platform/http/connection-secrets.ts'
import type { ConnectionOptions } from '../../platform/http/connections.ts'

interface Reference {
  readonly name: string
}

/** A Secret in the spec is missing. The message is Flux's. */
export class MissingSecret extends Error {
  constructor(name: string) {
    super(`secret '${name}' not found`)
    this.name = 'MissingSecret'
  }
}

/** The certificates in spec.certSecretRef, if any. Fails with MissingSecret or InvalidSecret. */
export const loadTls = async (
  references: References,
  referrer: Referrer,
  reference: Reference | undefined,
): Promise<Pick<ConnectionOptions, 'tls'>> =>
  reference?.name ? { tls: readTls(await requireSecret(references, referrer, reference.name)) } : {}

/** The proxy in spec.proxySecretRef, if any. Fails with MissingSecret or InvalidSecret. */
export const loadProxy = async (
  references: References,
  referrer: Referrer,
  reference: Reference | undefined,
): Promise<Pick<ConnectionOptions, 'proxy'>> =>
  reference?.name ? { proxy: readProxy(await requireSecret(references, referrer, reference.name)) } : {}

const requireSecret = async (references: References, referrer: Referrer, name: string): Promise<StoredSecret> => {
  const secret = await references.localSecret(referrer, name)
  if (!secret) throw new MissingSecret(`${namespaceOf(referrer)}/${name}`)
  return secret
}
