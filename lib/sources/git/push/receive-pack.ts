import { GitError } from '../git-error.ts'
import { encodeLine, type PacketReader, readPackets, remoteMessage } from '../pkt-line.ts'
import { type Advertisement, readGreeting } from '../protocol-v0.ts'
import type { GitTransport } from '../transport.ts'
import type { NewObjects } from './new-objects.ts'
import { type PushSigner, pushCertificate } from './push-certificate.ts'
import { writePack } from './write-pack.ts'

export interface ReferenceUpdate {
  /** `refs/heads/main` */
  readonly name: string
  readonly to: string
  /**
   * The value that the reference must have, undefined if it must not exist. The server refuses the update if somebody else was faster.
   */
  readonly from: string | undefined
}

export interface PushRequest {
  readonly objects: NewObjects
  readonly updates: readonly ReferenceUpdate[]
  /** Push options, `name=value`. Servers without support do not get them, as with Flux. */
  readonly options?: readonly string[]
  /** Signs the push if the server requests it. */
  readonly signer?: PushSigner | undefined
}

/** The server's references, and how to push to it; the transport is used up afterwards. Fails with GitError. */
export interface Receiver {
  readonly references: ReadonlyMap<string, string>
  /** Whether one push may have several updates: all of them happen, or none. */
  readonly isAtomic: boolean
  push(request: PushRequest): Promise<void>
}

/** `address` is that of the repository, without secrets. */
export const openReceiver = async (transport: GitTransport, address: string): Promise<Receiver> => {
  const advertisement = await readGreeting(transport)
  return {
    references: new Map(advertisement.references.map(({ name, id }) => [name, id])),
    isAtomic: advertisement.capabilities.includes('atomic'),
    push: request => push(transport, advertisement, { ...request, address }),
  }
}

const push = async (
  transport: GitTransport,
  { capabilities }: Advertisement,
  { objects, updates, options = [], signer, address }: PushRequest & { readonly address: string },
): Promise<void> => {
  const has = (name: string) => capabilities.includes(name)
  if (!has('report-status')) throw new GitError('unsupported', 'the server does not support report-status')
  if (updates.length > 1 && !has('atomic'))
    throw new GitError('unsupported', 'the server does not support atomic pushes')
  const sendsOptions = options.length > 0 && has('push-options')
  const requested = [
    'report-status',
    ...(has('side-band-64k') ? ['side-band-64k'] : []),
    ...(updates.length > 1 ? ['atomic'] : []),
    ...(sendsOptions ? ['push-options'] : []),
    ...[`object-format=${objects.format}`].filter(has),
    'agent=git/keelson',
  ]
  const zeros = '0'.repeat(updates[0]!.to.length)
  const commands = updates.map(({ name, from = zeros, to }) => `${from} ${to} ${name}`)
  const nonce = signer && settingIn(capabilities, 'push-cert')
  const certified = { commands, options: sendsOptions ? options : [], pushee: address }
  const lines = nonce
    ? ['push-cert', ...(await pushCertificate({ ...certified, nonce }, signer)), 'push-cert-end\n']
    : commands
  const [first = '', ...others] = lines
  const sent = sendsOptions ? [...options.map(encodeLine), flush] : []
  const pack = writePack(objects, { isThin: !has('no-thin') })
  const head = [`${first}\0 ${requested.join(' ')}`, ...others].map(encodeLine)
  const body = Buffer.concat([...head, flush, ...sent, pack])
  const response = readPackets(await transport.request(body))
  try {
    await requireAccepted(response, has('side-band-64k'), updates)
  } finally {
    await response.close()
  }
}

const flush = Buffer.from('0000')

const settingIn = (capabilities: readonly string[], name: string): string | undefined =>
  capabilities.find(capability => capability.startsWith(`${name}=`))?.slice(name.length + 1)

/** Reads `unpack ok`, and a line for each reference. */
const requireAccepted = async (response: PacketReader, inBands: boolean, updates: readonly ReferenceUpdate[]) => {
  const { report, said } = inBands ? await readBands(response) : { report: response, said: () => '' }
  const unpack = await report.readLine()
  if (unpack !== 'unpack ok') throw new GitError('refused', `unpack error: ${remoteMessage(unpack ?? '')}${said()}`)
  const accepted = new Set<string>()
  const refused: { readonly name: string; readonly reason: string }[] = []
  for (let line = await report.readLine(); line !== undefined; line = await report.readLine()) {
    const [, state, name = '', reason = ''] = /^(ok|ng) (\S+) ?(.*)$/.exec(line) ?? []
    if (state === 'ok') accepted.add(name)
    else if (state === 'ng') refused.push({ name, reason })
  }
  const cause = refused.find(({ reason }) => !isOfOther(reason)) ?? refused[0]
  if (cause) {
    const { name, reason } = cause
    throw new GitError(isRace(reason) ? 'conflict' : 'refused', `command error on ${name}: ${reason}${said()}`)
  }
  const missing = updates.find(({ name }) => !accepted.has(name))
  if (missing) throw new GitError('protocol', `the server does not say whether it has updated ${missing.name}`)
}

/** The update of another reference in an atomic push was refused: git's and JGit's words. */
const isOfOther = (reason: string): boolean => /^(?:atomic push failure|transaction aborted)$/.test(reason)

/** The reference has moved since it was read; each server has its own words for it. */
const isRace = (reason: string): boolean =>
  /fetch first|non-fast-forward|failed to (?:update ref|lock)|atomic transaction failed|stale info|reference already exists|cannot lock ref|incorrect old value/i.test(
    reason,
  )

const maxSaidBytes = 4_096

/** The report is in the first band, what hooks print in the second. */
const readBands = async (response: PacketReader) => {
  const report: Uint8Array[] = []
  let said = ''
  for (let packet = await response.read(); packet !== 'flush'; packet = await response.read()) {
    if (typeof packet === 'string') throw new GitError('protocol', 'the report of the server is truncated')
    const text = () => Buffer.from(packet.subarray(1)).toString('utf8')
    if (packet[0] === 1) report.push(packet.subarray(1))
    else if (packet[0] === 3) throw new GitError('refused', remoteMessage(text()))
    else if (said.length < maxSaidBytes) said += text()
  }
  const stream = (async function* () {
    yield* report
  })()
  return { report: readPackets(stream), said: () => (said.trim() ? `: ${remoteMessage(said.trim())}` : '') }
}
