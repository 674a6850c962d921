/** A key that the data key (or a share of it) was encrypted with, as a document's metadata names it. */
export type MasterKey = AgeKey | PgpKey | AwsKmsKey | GcpKmsKey | AzureKey | VaultKey | HuaweiKmsKey

/** The data key, encrypted: armored text, base64, or what the service calls a ciphertext. */
interface Encrypted {
  readonly encrypted: string
}

export interface AgeKey extends Encrypted {
  readonly type: 'age'
  readonly recipient: string
}

export interface PgpKey extends Encrypted {
  readonly type: 'pgp'
  readonly fingerprint: string
}

export interface AwsKmsKey extends Encrypted {
  readonly type: 'kms'
  readonly arn: string
  readonly role?: string
  readonly profile?: string
  readonly context: Readonly<Record<string, string>>
}

export interface GcpKmsKey extends Encrypted {
  readonly type: 'gcp_kms'
  /** projects/P/locations/L/keyRings/R/cryptoKeys/K */
  readonly resourceId: string
}

export interface AzureKey extends Encrypted {
  readonly type: 'azure_kv'
  readonly vaultUrl: string
  readonly name: string
  readonly version: string
}

export interface VaultKey extends Encrypted {
  readonly type: 'hc_vault'
  readonly address: string
  readonly enginePath: string
  readonly keyName: string
}

export interface HuaweiKmsKey extends Encrypted {
  readonly type: 'hckms'
  readonly keyId: string
}

export type MasterKeyType = MasterKey['type']

/** How messages call a key. */
export const describeKey = (key: MasterKey): string => {
  switch (key.type) {
    case 'age':
      return key.recipient
    case 'pgp':
      return key.fingerprint
    case 'kms':
      return key.role ? `${key.arn}+${key.role}` : key.arn
    case 'gcp_kms':
      return key.resourceId
    case 'azure_kv':
      return `${key.vaultUrl}/keys/${key.name}/${key.version}`
    case 'hc_vault':
      return `${key.address}/v1/${key.enginePath}/keys/${key.keyName}`
    case 'hckms':
      return key.keyId
  }
}
