import { type Secret, secretBytes } from '../../foundations/kinds/secret.ts'
import type { Hub } from './hub.ts'

/** A decoded Secret. */
export interface StoredSecret {
  /** Its name in messages: `<namespace>/<name>`. */
  readonly name: string
  readonly type: string
  readonly data: ReadonlyMap<string, Buffer>
}

/** Undefined if the Secret does not exist. */
export const readSecret = async (
  hub: Pick<Hub, 'get'>,
  namespace: string,
  name: string,
): Promise<StoredSecret | undefined> => {
  const secret = await hub.get<Secret>({ group: '', kind: 'Secret', namespace, name })
  if (!secret) return undefined
  return {
    name: `${namespace}/${name}`,
    type: secret.type ?? 'Opaque',
    data: new Map(Object.keys(secret.data ?? {}).map(key => [key, secretBytes(secret, key)!])),
  }
}
