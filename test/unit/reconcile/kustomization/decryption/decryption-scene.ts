import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { JsonObject } from '../../../../../lib/engines/yaml/json-value.ts'
import type { Secret } from '../../../../../lib/foundations/kinds/secret.ts'
import { author, type Scene } from '../scene.ts'

/** A new age key pair. */
export const ageKey = async (): Promise<{ readonly identity: string; readonly recipient: string }> => {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** A manifest that is to be encrypted. */
export const secretManifest = (name: string, stringData: Readonly<Record<string, string>>): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  stringData: { ...stringData },
})

/** Creates a Secret of texts in the hub. */
export const putSecret = async (
  { hub }: Scene,
  name: string,
  texts: Readonly<Record<string, string>>,
  namespace = 'default',
): Promise<void> => {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  await hub.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data }, author)
}

/** What an applied Secret holds, as text; undefined when it was not applied. */
export const secretTexts = async ({ hub }: Scene, name: string): Promise<Record<string, string> | undefined> => {
  const secret = await hub.get<Secret>({ group: '', kind: 'Secret', namespace: 'default', name })
  if (!secret) return undefined
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
}

export const decryptedWith = (name: string) => ({ decryption: { provider: 'sops' as const, secretRef: { name } } })

export const regex = '^(data|stringData)$'
