import type { KubernetesObject } from '../foundations/kinds/object.ts'

const mask = '**SOPS**'

type Texts = Readonly<Record<string, string>>

/**
 * A Secret for display: without its sops metadata, and with `**SOPS**` for encrypted values, like `flux build kustomization`. Decrypts
 * nothing on a user's machine. Other objects are unchanged.
 */
export const maskSops = (object: KubernetesObject): KubernetesObject => {
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1') return object
  const { sops, ...secret } = object as KubernetesObject & SecretContent
  const isWhole = typeof sops === 'object' && sops !== null
  const shown = secret.type === 'kubernetes.io/dockerconfigjson' ? JSON.stringify({ mask }) : mask
  const masked = (values: Texts, textOf: (value: string) => string, toValue: (text: string) => string): Texts =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        if (isWhole) return [key, toValue(shown)]
        return [key, isEncrypted(textOf(value)) ? toValue(mask) : value]
      }),
    )
  return {
    ...secret,
    ...(secret.data && { data: masked(secret.data, fromBase64, toBase64) }),
    ...(secret.stringData && { stringData: masked(secret.stringData, same, same) }),
  }
}

/** Whether all that differs may be ciphertext: the values of a Secret that is encrypted in git can't be compared; its keys can. */
export const isMaskedAlike = (live: KubernetesObject, wanted: KubernetesObject): boolean =>
  wanted.kind === 'Secret' &&
  Object.values(dataOf(wanted)).some(value => fromBase64(value).includes(mask)) &&
  Object.keys(dataOf(live)).sort().join() === Object.keys(dataOf(wanted)).sort().join()

const dataOf = (secret: KubernetesObject): Texts => (secret as unknown as SecretContent).data ?? {}

interface SecretContent {
  readonly type?: string
  readonly data?: Texts
  readonly stringData?: Texts
  readonly sops?: unknown
}

const isEncrypted = (text: string): boolean => text.includes('sops') && text.includes('ENC[')
const same = (text: string): string => text
const toBase64 = (text: string): string => Buffer.from(text).toString('base64')
const fromBase64 = (text: string): string => Buffer.from(String(text), 'base64').toString()
