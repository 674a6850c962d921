import type { ObjectFormat } from '../git-object.ts'

export interface Identity {
  readonly name: string
  readonly email: string
}

export interface NewCommit {
  readonly tree: string
  readonly parent: string
  /** Author and committer. */
  readonly author: Identity
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly message: string
}

/** Makes the signature of a commit, or of a push, armored. */
export type SignCommit = (payload: Uint8Array) => Promise<string>

/** The content of a commit, signed if there is a signer. */
export const writeCommit = async (
  { tree, parent, author, at, message }: NewCommit,
  format: ObjectFormat,
  sign?: SignCommit,
): Promise<Buffer> => {
  const who = `${identityOf(author)} ${Math.floor(at / 1000)} +0000`
  const headers = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n`
  const unsigned = Buffer.from(`${headers}\n${message}`)
  if (!sign) return unsigned
  const name = format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256'
  const signature = (await sign(unsigned)).trimEnd().replaceAll('\r', '').replaceAll('\n', '\n ')
  return Buffer.from(`${headers}${name} ${signature}\n\n${message}`)
}

/** `Name <address>` */
export const identityOf = ({ name, email }: Identity): string => `${cleaned(name)} <${cleaned(email)}>`

/** What would end the name or the address, or the line, is left out, as git does. */
const cleaned = (text: string): string => text.replace(/[<>\n\0]/g, '').trim()
