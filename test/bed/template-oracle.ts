import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { builtGoTool, goTool } from './go-tool.ts'

export interface TemplateQuestion {
  /** `resourceset`: between `<<` and `>>`, with `inputs`; `sprig`, and Go's own: between `{{` and `}}`, the data being the dot. */
  readonly functions: 'resourceset' | 'sprig' | 'builtins'
  readonly template: string
  readonly data: unknown
  /** How often to run it, besides once: the answer says how long that took. */
  readonly times?: number
}

export interface TemplateAnswer {
  readonly output?: string
  readonly error?: string
  /** For all runs, without parsing. */
  readonly nanoseconds?: number
}

/** Go's own text/template with slim-sprig or sprig, as a process that answers template after template. */
export interface TemplateOracle extends AsyncDisposable {
  ask(question: TemplateQuestion): Promise<TemplateAnswer>
}

const tool = {
  name: 'template-oracle',
  source: join(import.meta.dirname, 'template-oracle'),
  ldflags: '-s -w',
  takes: 'half a minute on two cores',
}

export const hasTemplateOracle = (): boolean => builtGoTool(tool) !== undefined

export const templateOracle = async (): Promise<TemplateOracle> => {
  const child = spawn(await goTool(tool), { stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting: { resolve(answer: TemplateAnswer): void; reject(error: Error): void }[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    waiting.shift()!.resolve(JSON.parse(line) as TemplateAnswer)
  })
  const ended = new Promise<void>(resolve =>
    child.on('close', code => {
      for (const { reject } of waiting.splice(0)) reject(new Error(`the template oracle ended with ${code}`))
      resolve()
    }),
  )
  return {
    ask: question =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        child.stdin.write(`${JSON.stringify(question)}\n`)
      }),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
