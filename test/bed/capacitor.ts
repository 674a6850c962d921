import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from './eventually.ts'
import { freePort } from './free-ports.ts'
import { kubectlEnv } from './kubectl.ts'
import { ifProcessEnds } from './teardown.ts'

/** The server of Capacitor (github.com/gimlet-io/capacitor) that KEELSON_CAPACITOR names, with its page in it. */
const binary = process.env.KEELSON_CAPACITOR

/** Options of a test that drives Capacitor: skipped, with the reason, where there is none. */
export const needsCapacitor = binary ? {} : { skip: 'KEELSON_CAPACITOR does not name a Capacitor' }

export interface Capacitor extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash. */
  readonly origin: string
}

/** Capacitor's server on loopback, with the rights of a kubeconfig. */
export const startCapacitor = async (kubeconfig: string): Promise<Capacitor> => {
  if (!binary) throw new Error(needsCapacitor.skip)
  const port = String(await freePort())
  const flags = ['--host', '127.0.0.1', '--port', port, '--kubeconfig', kubeconfig]
  const child = spawn(binary, flags, { stdio: ['ignore', 'ignore', 'pipe'], env: kubectlEnv(kubeconfig) })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-4_000)
  })
  const ended = once(child, 'exit')
  const abandon = ifProcessEnds(() => child.kill('SIGKILL'))
  const capacitor: Capacitor = {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      abandon()
    },
  }
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`Capacitor ended: ${said}`)
      return (await fetch(`${capacitor.origin}/healthz`)).ok
    })
    return capacitor
  } catch (error) {
    await capacitor[Symbol.asyncDispose]()
    throw error
  }
}
