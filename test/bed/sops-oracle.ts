import { join } from 'node:path'
import { builtGoTool, type GoTool } from './go-tool.ts'
import { lineOracle } from './line-oracle.ts'

const tool: GoTool = {
  name: 'sops-oracle',
  source: join(import.meta.dirname, 'sops-oracle'),
  ldflags: '-s -w',
  takes: 'two minutes on two cores',
}

/** What to encrypt, and how; with `decrypt` the text is encrypted already. */
export interface SopsRequest {
  readonly format: 'yaml' | 'json' | 'dotenv' | 'ini' | 'binary'
  readonly text: Uint8Array
  readonly decrypt?: boolean
  /** Age recipients; the data key is shared among several groups. */
  readonly groups?: readonly (readonly string[])[]
  readonly threshold?: number
  readonly rules?: Readonly<Record<string, string | boolean>>
}

export interface SopsAnswer {
  readonly encrypted?: Buffer
  readonly decrypted?: Buffer
  readonly error?: string
}

/** The real sops, 3.13.3's libraries, as a process that answers request after request. */
export interface SopsOracle extends AsyncDisposable {
  ask(request: SopsRequest): Promise<SopsAnswer>
}

/** Whether asking it means no build of minutes. */
export const hasSopsOracle = (): boolean => builtGoTool(tool) !== undefined

/** `identities` are the age identities that it decrypts with. */
export const sopsOracle = async (identities: string): Promise<SopsOracle> => {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', SOPS_AGE_KEY: identities }
  const oracle = await lineOracle<object, Record<string, string | undefined>>(tool, { env, quiet: true })
  const bytes = (text: string) => Buffer.from(text, 'base64')
  return {
    ask: async ({ text, ...request }) => {
      const question = { ...request, text: Buffer.from(text).toString('base64') }
      const { encrypted, decrypted, error } = await oracle.ask(question)
      return {
        ...(encrypted && { encrypted: bytes(encrypted) }),
        ...(!error && { decrypted: bytes(decrypted ?? '') }),
        error,
      }
    },
    [Symbol.asyncDispose]: () => oracle[Symbol.asyncDispose](),
  }
}
