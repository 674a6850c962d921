import { namespaceOf, type References, type Referrer, type StoredSecret } from './references.ts'

/** A Secret that a spec names. Fails when there is none, in the words that most of Flux has for it. */
export const requireSecret = async (
  references: References,
  referrer: Referrer,
  name: string,
): Promise<StoredSecret> => {
  const secret = await references.localSecret(referrer, name)
  if (secret) return secret
  throw new Error(`failed to get secret '${namespaceOf(referrer)}/${name}': secrets "${name}" not found`)
}
