import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { Secret } from '../../../foundations/kinds/secret.ts'
import { type Place, type References, secretKind, serviceAccountKind } from '../../../hub/references/references.ts'
import type { CloudPorts, Environment } from '../../../platform/cloud/cloud-ports.ts'
import { ownVault } from '../../../platform/cloud/vault/own-vault.ts'
import type { OpenPgp } from '../../../platform/ports/open-pgp.ts'
import {
  type DecryptionKeys,
  noKeys,
  readDecryptionKeys,
  readDefaultAgeKeys,
  readKeyEntries,
} from './decryption-keys.ts'
import { createDecryptor, type Decryptor, decryptionIdentity } from './decryptor.ts'
import { keyServices } from './key-services.ts'
import { type SecretlessIdentities, vaultIdentity } from './secretless-identities.ts'
import { type ServiceAccountPorts, serviceAccountIdentities } from './service-account-identities.ts'
import { vaultLogins } from './vault-logins.ts'

export interface DecryptionPorts extends Pick<ServiceAccountPorts, 'issueToken'> {
  readonly cloud: CloudPorts & { readonly environment?: Environment }
  /** The hub's own identities. */
  readonly own: SecretlessIdentities
  /** The AWS region for STS requests. */
  readonly region: string
  /** What only this process decrypts with: a runner. */
  readonly ownKeys?: OwnKeys
}

/** The keys of a runner, which its hub does not have. */
export interface OwnKeys {
  /** Where they are, for messages. */
  readonly place: string
  /** The entries of a key Secret, by name and in base64, for a Kustomization that names no Secret, in place of `sopsAgeSecret`; undefined if it may not use them. */
  entriesFor(kustomization: Kustomization): Promise<Readonly<Record<string, string>> | undefined>
  /** Makes the digests of builds that are decrypted: nobody without it can try values against them. */
  readonly digestKey: string
}

export interface DecryptionSettings {
  /** Age keys for objects without a Secret (`--sops-age-secret`). */
  readonly sopsAgeSecret?: Place
  /** Vault servers that ServiceAccounts may log in to (`--sops-vault-configmap`). */
  readonly sopsVaultConfigMap?: Place
  /** Refuse encrypted files that were modified after encryption, including their plain-text parts. */
  readonly verifySopsMac: boolean
  /** Allow objects to name the ServiceAccount for decryption (feature gate `ObjectLevelWorkloadIdentity`). */
  readonly objectLevelWorkloadIdentity: boolean
}

/** The decryptor of a Kustomization with decryption. Fails in Flux's wording if a Secret is missing or can't be read. */
export const loadDecryptor = async (
  kustomization: Kustomization,
  {
    references,
    openPgp,
    ports,
    settings,
  }: {
    readonly references: References
    readonly openPgp: OpenPgp
    readonly ports: DecryptionPorts
    readonly settings: DecryptionSettings
  },
  signal?: AbortSignal,
): Promise<Decryptor> => {
  const named = kustomization.spec.decryption?.secretRef?.name
  const { keys, ...instead } = (named ? undefined : await loadOwnKeys(kustomization, openPgp, ports)) ?? {
    keys: await loadKeys(references, openPgp, kustomization, settings),
  }
  const account = await loadAccount(references, kustomization)
  const identities = account
    ? serviceAccountIdentities(account, {
        ...ports,
        vaultLogins: () => vaultLogins(references, settings.sopsVaultConfigMap),
      })
    : { ...ports.own, ...instead }
  return createDecryptor({
    identity: decryptionIdentity(keys.digest, account ? identifying(account) : ''),
    services: await keyServices(keys, { cloud: ports.cloud, identities, openPgp }),
    verifyMac: settings.verifySopsMac,
    digestKey: ports.ownKeys?.digestKey,
    signal,
  })
}

const identifying = ({ metadata }: KubernetesObject): string =>
  JSON.stringify([metadata.namespace, metadata.name, metadata.uid, metadata.annotations])

const loadKeys = async (
  references: References,
  openPgp: OpenPgp,
  kustomization: Kustomization,
  { sopsAgeSecret }: DecryptionSettings,
): Promise<DecryptionKeys> => {
  const name = kustomization.spec.decryption?.secretRef?.name
  if (name)
    return readDecryptionKeys(required(await references.local<Secret>(kustomization, secretKind, name), name), openPgp)
  if (!sopsAgeSecret) return noKeys
  const secret = await references.ofOperator<Secret>(secretKind, sopsAgeSecret)
  return readDefaultAgeKeys(required(secret, sopsAgeSecret.name), openPgp)
}

/** The keys, with what replaces identities of this process: files name the Vault server, and not all of their authors are trusted with the operator's token. */
const loadOwnKeys = async (
  kustomization: Kustomization,
  openPgp: OpenPgp,
  { ownKeys, cloud: { environment = {} } }: DecryptionPorts,
): Promise<({ readonly keys: DecryptionKeys } & Partial<SecretlessIdentities>) | undefined> => {
  const entries = await ownKeys?.entriesFor(kustomization)
  if (!ownKeys || !entries) return undefined
  const { vaultToken, ...keys } = await readKeyEntries(entries, ownKeys.place, openPgp)
  if (vaultToken === undefined) return { keys }
  return { keys, vault: vaultIdentity(ownVault(environment, vaultToken, 'sops.vault-token')) }
}

const required = (secret: Secret | undefined, name: string): Secret => {
  if (secret) return secret
  throw new Error(`secrets "${name}" not found`)
}

const loadAccount = async (
  references: References,
  kustomization: Kustomization,
): Promise<KubernetesObject | undefined> => {
  const name = kustomization.spec.decryption?.serviceAccountName
  if (!name) return undefined
  const account = await references.local(kustomization, serviceAccountKind, name)
  if (account) return account
  throw new Error(`serviceaccounts "${name}" not found`)
}
