import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { goTool } from './go-tool.ts'
import { endWithTest } from './teardown.ts'
import { disposableDir } from './temp-dir.ts'

/** A real NATS server on loopback, and somebody who listens to all that is published. */
export interface NatsServer {
  /** `127.0.0.1:<port>` */
  readonly host: string
  /** Of a user, where the server was started with `jwt`. */
  readonly creds: string
  readonly published: readonly { readonly subject: string; readonly payload: string }[]
}

/** The path of the server's program, built if need be (see nats-server/main.go). */
const program = (): Promise<string> =>
  goTool({
    name: 'nats-server',
    source: join(import.meta.dirname, 'nats-server'),
    ldflags: '-s -w',
    takes: 'a minute on two cores',
  })

/** Starts it with a configuration in which a user `listener` may subscribe, or trusting tokens of an operator; it goes when the test ends. */
export async function natsServer(configuration: string | 'jwt'): Promise<NatsServer> {
  const dir = disposableDir()
  const file = join(dir.path, 'nats.conf')
  if (configuration !== 'jwt') writeFileSync(file, configuration)
  const child = spawn(await program(), [configuration === 'jwt' ? 'jwt' : file], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  endWithTest({
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
      await dir[Symbol.asyncDispose]()
    },
  })
  const published: { subject: string; payload: string }[] = []
  let creds = ''
  return new Promise((resolve, reject) => {
    void ended.then(() => reject(new Error('the NATS server ended before it was ready')))
    createInterface(child.stdout).on('line', line => {
      const [word = '', rest = ''] = line.split(/ (.*)/s)
      if (word === 'creds') creds = JSON.parse(rest)
      else if (word === 'ready') resolve({ host: `127.0.0.1:${rest}`, creds, published })
      else published.push({ subject: word, payload: JSON.parse(rest) })
    })
  })
}
