import { namespaceOf, type References, type Referrer, type StoredSecret } from './references.ts'

/** Reads the Secret that a spec refers to. Fails with Flux's usual message if it does not exist. */
export const requireSecret = async (
  references: References,
  referrer: Referrer,
  name: string,
): Promise<StoredSecret> => {
  const secret = await references.localSecret(referrer, name)
  if (secret) return secret
  throw new Error(`failed to get secret '${namespaceOf(referrer)}/${name}': secrets "${name}" not found`)
}
