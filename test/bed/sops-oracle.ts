import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cacheDir, type GoTool, goTool, sourceHash } from './go-tool.ts'

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
export const hasSopsOracle = (): boolean => existsSync(join(cacheDir(), tool.name, sourceHash(tool.source), tool.name))

/** `identities` are the age identities that it decrypts with. */
export const sopsOracle = async (identities: string): Promise<SopsOracle> => {
  const child = spawn(await goTool(tool), {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, HOME: '/nonexistent', SOPS_AGE_KEY: identities },
  })
  const waiting: ((answer: SopsAnswer) => void)[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    const { encrypted, decrypted, error } = JSON.parse(line) as Record<string, string | undefined>
    const bytes = (text: string) => Buffer.from(text, 'base64')
    const answer = {
      ...(encrypted && { encrypted: bytes(encrypted) }),
      ...(!error && { decrypted: bytes(decrypted ?? '') }),
    }
    waiting.shift()!({ ...answer, error })
  })
  const ended = new Promise<void>(resolve => child.on('close', () => resolve()))
  return {
    ask: ({ text, ...request }) =>
      new Promise(resolve => {
        waiting.push(resolve)
        child.stdin.write(`${JSON.stringify({ ...request, text: Buffer.from(text).toString('base64') })}\n`)
      }),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
