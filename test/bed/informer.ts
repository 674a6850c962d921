import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { goTool } from './go-tool.ts'

/** What an informer believes is there: resourceVersions by `namespace/name`, by resource. */
export interface Believed {
  readonly events: number
  readonly objects: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** client-go's informers, as controllers run them, in a process of their own (see informer/main.go). */
export interface Informer extends AsyncDisposable {
  believed(): Promise<Believed>
  /** What client-go complained of. */
  complaints(): string
}

/** Follows resources, named `<group>/<version>/<plural>`; resolves when all have been listed. */
export async function startInformer(kubeconfig: string, resources: readonly string[]): Promise<Informer> {
  const binary = await goTool({
    name: 'informer',
    source: join(import.meta.dirname, 'informer'),
    ldflags: '-s -w',
    takes: 'a minute on two cores',
  })
  const child = spawn(binary, [kubeconfig, ...resources], { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', chunk => {
    complaints = (complaints + chunk).slice(-20_000)
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const believed = async (): Promise<Believed> => {
    child.stdin.write('\n')
    const { value, done } = await lines.next()
    if (done) throw new Error(`the informer ended: ${complaints.trim()}`)
    return JSON.parse(value)
  }
  await believed()
  return {
    believed,
    complaints: () => complaints,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
