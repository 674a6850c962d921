import { X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Random } from '../../../platform/ports/random.ts'
import type { Certificate } from './certificate.ts'
import { certificateAuthority, clientCertificate, serverCertificate } from './certificate.ts'

/** A listener's TLS identity, and its owner's credentials. */
export interface ServingIdentity {
  /** PEM of the authority that clients trust. */
  readonly authority: string
  /** The server's own certificate and key: PEM. */
  readonly server: Certificate
  /** The owner's bearer token. */
  readonly token: string
}

export interface ServingIdentityOptions {
  readonly clock: Clock
  readonly random: Random
  /** Host names and addresses of the server. */
  readonly hosts?: readonly string[]
}

const authorityDays = 3650
const serverDays = 825
/** Tolerates clocks that differ a little. */
const backdatedMs = 3_600_000

/**
 * The identity stored in a directory (`ca.crt`, `ca.key`, `token`, mode 0600), created if missing or expired, so that kubeconfigs stay valid
 * across restarts. The server's certificate is created at each start.
 */
export const servingIdentity = async (directory: string, options: ServingIdentityOptions): Promise<ServingIdentity> => {
  const { clock, random, hosts = ['localhost', '127.0.0.1', '::1'] } = options
  const from = new Date(clock.now() - backdatedMs)
  const serial = () => serialNumber(random)
  const authority = await storedAuthority(directory, from, serial)
  const server = serverCertificate(authority, hosts, serial(), { from, days: serverDays })
  return { authority: authority.certificate, server, token: await storedToken(directory, random) }
}

export interface UserOrder {
  readonly name: string
  readonly groups: readonly string[]
  readonly days: number
}

/** Issues a certificate for a user with the authority stored in a directory. Undefined if no hub has started there yet. */
export const userCertificate = async (
  directory: string,
  { days, ...user }: UserOrder,
  { clock, random }: { readonly clock: Pick<Clock, 'now'>; readonly random: Pick<Random, 'bytes'> },
): Promise<(Certificate & { readonly authority: string }) | undefined> => {
  const [certificate, key] = await Promise.all([readStored(directory, 'ca.crt'), readStored(directory, 'ca.key')])
  if (!certificate || !key) return undefined
  const from = new Date(clock.now() - backdatedMs)
  const made = clientCertificate({ certificate, key }, user, serialNumber(random), { from, days })
  return { ...made, authority: certificate }
}

const serialNumber = (random: Pick<Random, 'bytes'>) =>
  Buffer.from([0x40 | (random.bytes(1)[0]! & 0x3f), ...random.bytes(15)])

const storedAuthority = async (directory: string, from: Date, serial: () => Uint8Array): Promise<Certificate> => {
  const [certificate, key] = await Promise.all([readStored(directory, 'ca.crt'), readStored(directory, 'ca.key')])
  const needed = from.getTime() + serverDays * 86_400_000
  if (certificate && key && validTo(certificate, directory) > needed) return { certificate, key }
  const made = certificateAuthority('keelson', serial(), { from, days: authorityDays })
  await store(directory, 'ca.key', made.key)
  await store(directory, 'ca.crt', made.certificate)
  return made
}

/** Fails with a one-line message for the operator if the certificate is damaged. */
const validTo = (certificate: string, directory: string): number => {
  try {
    return new X509Certificate(certificate).validToDate.getTime()
  } catch (cause) {
    const path = join(directory, 'ca.crt')
    throw new DamagedIdentity(
      `${path} is not a certificate: restore it from a backup; or delete it, and the hub creates a new authority, and every kubeconfig must be fetched again`,
      { cause },
    )
  }
}

/** The hub's identity can't be read; the message says what to do. */
export class DamagedIdentity extends Error {}

const storedToken = async (directory: string, random: Random): Promise<string> => {
  const known = await readStored(directory, 'token')
  if (known) return known
  const token = Buffer.from(random.bytes(32)).toString('base64url')
  await store(directory, 'token', token)
  return token
}

const readStored = async (directory: string, name: string): Promise<string | undefined> => {
  try {
    return await readFile(join(directory, name), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const store = (directory: string, name: string, content: string): Promise<void> =>
  writeFile(join(directory, name), content, { mode: 0o600 })
