import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type GoTool, goTool } from './go-tool.ts'

/** A program around an original's libraries: it answers each line of JSON with a line of JSON, in order. */
export interface LineOracle<Question, Answer> extends AsyncDisposable {
  /** Fails when the program ends before it has answered. */
  ask(question: Question): Promise<Answer>
}

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv
  /** Whether what it says on stderr is left out. */
  readonly quiet?: boolean
}

export const lineOracle = async <Question, Answer>(
  tool: GoTool,
  { env = process.env, quiet = false }: Surroundings = {},
): Promise<LineOracle<Question, Answer>> => {
  const child = spawn(await goTool(tool), { env, stdio: ['pipe', 'pipe', quiet ? 'ignore' : 'inherit'] })
  const waiting: PromiseWithResolvers<Answer>[] = []
  createInterface({ input: child.stdout }).on('line', line => waiting.shift()!.resolve(JSON.parse(line) as Answer))
  const ended = new Promise<void>(resolve =>
    child.on('close', code => {
      for (const { reject } of waiting.splice(0)) reject(new Error(`${tool.name} ended with ${code}`))
      resolve()
    }),
  )
  return {
    ask: question => {
      const answer = Promise.withResolvers<Answer>()
      waiting.push(answer)
      child.stdin.write(`${JSON.stringify(question)}\n`)
      return answer.promise
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

/** All answers at once: some programs write them when they have read all questions. */
export const answersOf = async <Question, Answer>(
  tool: GoTool,
  questions: readonly Question[],
): Promise<readonly Answer[]> => {
  const oracle = await lineOracle<Question, Answer>(tool)
  const answers = Promise.all(questions.map(question => oracle.ask(question)))
  await oracle[Symbol.asyncDispose]()
  return await answers
}
