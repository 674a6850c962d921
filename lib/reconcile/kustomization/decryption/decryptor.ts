import { hash } from 'node:crypto'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import { type KeyServices, remembering } from '../../../engines/sops/data-key.ts'
import { decrypt } from '../../../engines/sops/decrypt.ts'
import type { FormatName } from '../../../engines/sops/formats/format.ts'
import { formatOfPath, isEncrypted } from '../../../engines/sops/formats/format-of.ts'
import { SopsError } from '../../../engines/sops/sops-error.ts'
import { verifyMacs } from '../../../engines/sops/verify.ts'
import { type Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { Manifest, Rendered } from '../build/build-cache.ts'
import { decryptManifest } from './decrypted-manifests.ts'
import { sourceReferences } from './encrypted-sources.ts'
import { sopsProblem } from './sops-problem.ts'

/** Decrypts the inputs and outputs of a Kustomization's build. */
export interface Decryptor {
  /**
   * Identifies the keys: builds are cached per identity, so that a build made with some keys is never used without
   * them.
   */
  readonly identity: string
  /** With which the digest of the build is made, so that nobody else can try values against it. */
  readonly digestKey?: string | undefined
  /** What another thread needs to create an equivalent decryptor. */
  readonly options: Pick<DecryptorOptions, 'services' | 'verifyMac'>
  /**
   * Decrypts the build's inputs, renders, and decrypts the output. Fails in Flux's wording, and with BudgetExceeded.
   */
  build(source: EncryptedSource, render: (files: FileSystem) => Promise<Rendered>, budget: Budget): Promise<Rendered>
}

export interface EncryptedSource {
  readonly files: FileSystem
  /** The files with the effective kustomization.yaml, which lists the files to decrypt. */
  readonly prepared: FileSystem
  readonly folder: string
}

export interface DecryptorOptions {
  readonly identity: string
  readonly services: KeyServices
  /** Refuse files that were modified after encryption. */
  readonly verifyMac: boolean
  readonly digestKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A decryptor with these keys. Each data key is opened once: the files of a build usually share theirs. */
export const createDecryptor = ({
  identity,
  services: keyServices,
  verifyMac,
  digestKey,
  signal,
}: DecryptorOptions): Decryptor => {
  const services = remembering(keyServices)
  const options = { services, ignoreMac: !verifyMac, signal }

  const decryptSources = async (source: EncryptedSource, budget: Budget) => {
    const { files, prepared, folder } = source
    const decrypted = new Map<string, Uint8Array>()
    let hasPatches = false
    for (const { path, format, isPatch } of sourceReferences(prepared, folder, budget)) {
      const content = files.read(path)
      if (!content || !isEncrypted(content, format)) continue
      decrypted.set(path, await decryptFile(path, content, format, budget))
      hasPatches ||= isPatch === true
    }
    return { decrypted, hasPatches }
  }

  const decryptFile = async (
    path: string,
    content: Uint8Array,
    format: FormatName,
    budget: Budget,
  ): Promise<Uint8Array> => {
    try {
      return await decrypt(content, { ...options, budget, format })
    } catch (error) {
      signal?.throwIfAborted()
      throw new Error(`error decrypting sources: ${path}: ${sopsProblem(error, format)}`, { cause: error })
    }
  }

  /** Without a key for a file, its MAC can't be verified: the file may be meant to stay encrypted. */
  const verify = async (path: string, content: Uint8Array, budget: Budget): Promise<void> => {
    const format = formatOfPath(path)
    try {
      await verifyMacs(content, { format, services, budget, signal })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof BudgetExceeded) throw error
      if (!(error instanceof SopsError) || error.code !== 'mac') return
      throw new Error(`${path}: ${sopsProblem(error, format)}`, { cause: error })
    }
  }

  return {
    identity,
    digestKey,
    options: { services, verifyMac },
    build: async (source, render, budget) => {
      const { decrypted, hasPatches } = await decryptSources(source, budget)
      const seen = recordingReads(source.files, decrypted)
      const rendered = await render(seen.files)
      const manifests: Manifest[] = []
      for (const manifest of rendered.manifests) {
        const plain = await decryptManifest(manifest, { ...options, budget })
        manifests.push(hasPatches ? { ...plain, isDecrypted: true } : plain)
      }
      if (verifyMac) for (const [path, content] of seen.encrypted) await verify(path, content, budget)
      return { ...rendered, manifests }
    },
  }
}

/** Overlays replaced files, and records which other files that were read are encrypted manifests. */
const recordingReads = (files: FileSystem, replaced: ReadonlyMap<string, Uint8Array>) => {
  const encrypted = new Map<string, Uint8Array>()
  const read = (path: string): Uint8Array | undefined => {
    const plain = replaced.get(path)
    if (plain) return plain
    const content = files.read(path)
    if (content && !encrypted.has(path) && isEncryptedManifest(path, content)) encrypted.set(path, content)
    return content
  }
  const { realPath } = files
  const list = (path: string) => files.list(path)
  return { files: { read, list, ...(realPath && { realPath: realPath.bind(files) }) }, encrypted }
}

const isEncryptedManifest = (path: string, content: Uint8Array): boolean => {
  const format = formatOfPath(path)
  return (format === 'yaml' || format === 'json') && isEncrypted(content, format) && !staysEncrypted(content)
}

/** The opt-out annotation (see `isDisabled`) was probably added after encryption, so the MAC would not match. */
const staysEncrypted = (content: Uint8Array): boolean =>
  /kustomize\.toolkit\.fluxcd\.io\/decrypt["']?\s*:\s*["']?disabled/i.test(Buffer.from(content).toString('latin1'))

/** A name derived from the parts: equal parts give equal names. */
export const decryptionIdentity = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts))
