import type { SecretContent } from '../../http/connection-secrets.ts'
import type { Hub } from '../../hub/hub.ts'
import { type Secret, secretBytes } from '../../kinds/secret.ts'

/** The content of a Secret; undefined when there is none of the name. */
export const loadSecret = async (
  hub: Pick<Hub, 'get'>,
  namespace: string,
  name: string,
): Promise<(SecretContent & { readonly type: string }) | undefined> => {
  const secret = await hub.get<Secret>({ group: '', kind: 'Secret', namespace, name })
  if (!secret) return undefined
  const keys = Object.keys(secret.data ?? {})
  return {
    name: `${namespace}/${name}`,
    type: secret.type ?? 'Opaque',
    data: new Map(keys.map(key => [key, secretBytes(secret, key)!])),
  }
}
