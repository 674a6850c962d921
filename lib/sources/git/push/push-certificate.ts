import type { SignCommit } from './write-commit.ts'

/** What signs pushes, for servers that request it. */
export interface PushSigner {
  readonly sign: SignCommit
  /** `Name <address>` */
  readonly pusher: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface CertifiedPush {
  /** `<old> <new> <name>` */
  readonly commands: readonly string[]
  readonly options: readonly string[]
  /** The address of the repository, without secrets. */
  readonly pushee: string
  /** What the server has sent against replays. */
  readonly nonce: string
}

/** The lines of a push certificate with its signature (gitprotocol-pack, "Push Certificate"), each with its newline. */
export const pushCertificate = async (
  { commands, options, pushee, nonce }: CertifiedPush,
  { sign, pusher, now }: PushSigner,
): Promise<readonly string[]> => {
  const content = [
    'certificate version 0.1',
    `pusher ${pusher} ${Math.floor(now / 1000)} +0000`,
    `pushee ${pushee}`,
    `nonce ${nonce}`,
    ...options.map(option => `push-option ${option}`),
    '',
    ...commands,
  ]
  const signature = await sign(Buffer.from(`${content.join('\n')}\n`))
  return [...content, ...signature.trimEnd().replaceAll('\r', '').split('\n')].map(line => `${line}\n`)
}
