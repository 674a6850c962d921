/** Keys that a runner is given in its cluster, as options of commands name their files. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { InvalidPublicKey } from '../sources/verify/not-verified.ts'
import { readPublicKey } from '../sources/verify/public-key.ts'
import { CommandFailed } from './command-failed.ts'
import { atLeastOne } from './option-values.ts'

export interface KeyOptions {
  readonly verifyKey: readonly string[]
  readonly planKey: readonly string[]
  readonly planSignatures: number
  readonly decryptionKeys?: string
}

/** What a runner demands, and what it decrypts with. */
export interface RunnerKeySet {
  /** In PEM. */
  readonly verifyKeys: readonly string[]
  readonly planKeys: readonly string[]
  readonly planSignatures: number
  /** Files by name, in base64. */
  readonly decryptionKeys?: Readonly<Record<string, string>>
}

const listed = (value: string, list: readonly string[]): readonly string[] => [...list, value]

/** Adds the options of keys. */
export const withKeyOptions = (command: Command): Command =>
  command
    .option(
      '--verify-key <file>',
      'apply only what this public key has signed (keelson sign); may be repeated',
      listed,
      [],
    )
    .option(
      '--plan-key <file>',
      'change and delete only what an approval with a signature of this public key lists (keelson approve --sign-with); may be repeated',
      listed,
      [],
    )
    .addOption(
      new Option('--plan-signatures <n>', 'how many of these keys must sign each change, at least')
        .argParser(atLeastOne)
        .default(1),
    )
    .option(
      '--decryption-keys <dir>',
      'decrypt with the keys in this directory, which the hub does not have: files named as the entries of a key Secret',
    )

/** Whether any of them is given. */
export const hasKeys = ({ verifyKey, planKey, decryptionKeys }: KeyOptions): boolean =>
  verifyKey.length > 0 || planKey.length > 0 || decryptionKeys !== undefined

/** Reads the files. Fails with CommandFailed if one is no public key, there is no key to decrypt with, or more signatures are demanded than there are keys. */
export const readRunnerKeys = ({ verifyKey, planKey, planSignatures, decryptionKeys }: KeyOptions): RunnerKeySet => {
  if (planSignatures > 1 && planSignatures > planKey.length)
    throw new CommandFailed(`--plan-signatures ${planSignatures} needs as many --plan-key`)
  return {
    verifyKeys: verifyKey.map(publicKeyIn),
    planKeys: planKey.map(publicKeyIn),
    planSignatures,
    ...(decryptionKeys !== undefined && { decryptionKeys: filesIn(decryptionKeys) }),
  }
}

const publicKeyIn = (file: string): string => {
  const pem = readingFile(file, () => readFileSync(file))
  try {
    readPublicKey(pem)
  } catch (error) {
    if (!(error instanceof InvalidPublicKey)) throw error
    throw new CommandFailed(`${file}: ${error.message}`, { cause: error })
  }
  return pem.toString('utf8')
}

const filesIn = (directory: string): Readonly<Record<string, string>> => {
  const names = readingFile(directory, () => readdirSync(directory)).filter(isEntry)
  const files = names.filter(name => statSync(join(directory, name)).isFile())
  if (files.length === 0) throw new CommandFailed(`--decryption-keys ${directory}: there is no file in it`)
  return Object.fromEntries(files.sort().map(name => [name, readFileSync(join(directory, name), 'base64')]))
}

/** A name that an entry of a Secret can have; hidden files are left out. */
const isEntry = (name: string): boolean => /^[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/.test(name)

const readingFile = <T>(file: string, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw new CommandFailed(`${file} can't be read: ${(error as NodeJS.ErrnoException).code}`, { cause: error })
  }
}
