import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyServices } from '../../../lib/engines/sops/data-key.ts'
import { decrypt } from '../../../lib/engines/sops/decrypt.ts'
import type { FormatName } from '../../../lib/engines/sops/formats/format.ts'
import { formatOfPath } from '../../../lib/engines/sops/formats/format-of.ts'
import { ageService } from '../../../lib/engines/sops/keys/age-identities.ts'
import { openPgpService } from '../../../lib/engines/sops/keys/open-pgp-keys.ts'
import { SopsError } from '../../../lib/engines/sops/sops-error.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

/** Files that the real sops encrypted, and what it decrypts them to; or why it does not. */
interface SopsCase {
  readonly id: string
  readonly format: FormatName
  readonly encrypted: string
  readonly key: string | null
  readonly decrypted?: string
  readonly error?: string
}

export const suite: ConformanceSuite = {
  folder: 'sops',
  *cases(directory) {
    for (const id of folders(join(directory, 'cases'))) yield () => caseResult(directory, join(directory, 'cases', id))
    const testdata = join(directory, 'kustomize-controller-testdata')
    for (const file of files(join(testdata, 'expected'))) yield () => testdataResult(testdata, file)
  },
}

const caseResult = async (root: string, folder: string): Promise<CaseResult> => {
  const { id, format, encrypted, key, decrypted, error } = JSON.parse(
    readFileSync(join(folder, 'meta.json'), 'utf8'),
  ) as SopsCase
  const services = await servicesOf(key === null ? [] : [join(root, key)])
  const outcome = await attempt(readFileSync(join(folder, encrypted)), format, services)
  if (decrypted !== undefined) return { name: id, problem: comparison(outcome, readFileSync(join(folder, decrypted))) }
  const expected = codeOf(error ?? '')
  return { name: id, problem: difference(outcome instanceof SopsError ? outcome.code : String(outcome), expected) }
}

/** What the real one's words stand for: ours tell more or less, by intention. */
const codeOf = (error: string): string => {
  if (/metadata not found/.test(error)) return 'metadata'
  if (/Failed to get the data key/.test(error)) return 'data-key'
  return /^MAC mismatch/.test(error) ? 'mac' : 'value'
}

const testdataResult = async (root: string, file: string): Promise<CaseResult> => {
  const keys = files(join(root, 'keys')).map(name => join(root, 'keys', name))
  const services = await servicesOf(keys)
  const encrypted = readFileSync(join(root, file))
  const outcome = await attempt(encrypted, formatOfPath(file), services)
  return {
    name: `kustomize-controller ${file}`,
    problem: comparison(outcome, readFileSync(join(root, 'expected', file))),
  }
}

const attempt = async (content: Uint8Array, format: FormatName, services: KeyServices): Promise<unknown> => {
  try {
    return await decrypt(content, { format, services })
  } catch (error) {
    return error
  }
}

const comparison = (outcome: unknown, expected: Buffer): string | undefined => {
  if (!(outcome instanceof Uint8Array)) return String((outcome as Error).stack)
  return difference(Buffer.from(outcome).toString('latin1'), expected.toString('latin1'))
}

const servicesOf = async (paths: readonly string[]): Promise<KeyServices> => {
  const texts = paths.map(path => readFileSync(path, 'utf8'))
  const isPgp = (text: string) => text.includes('PGP PRIVATE KEY')
  const [pgp, age] = [texts.filter(isPgp), texts.filter(text => !isPgp(text))]
  return {
    ...(age.length > 0 && { age: await ageService(age) }),
    ...(pgp.length > 0 && { pgp: await openPgpService(pgp) }),
  }
}

const folders = (directory: string): string[] => (existsSync(directory) ? readdirSync(directory).sort() : [])

const files = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(directory.length + 1))
        .sort()
    : []
