/** A key that encrypts the data key (or a share of it), as named in a document's metadata. */
export type MasterKey = AgeKey | PgpKey | AwsKmsKey | GcpKmsKey | AzureKey | VaultKey | HuaweiKmsKey

/** The encrypted data key: armored text, base64, or the service's own ciphertext format. */
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

/** The name of a key in messages. */
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
