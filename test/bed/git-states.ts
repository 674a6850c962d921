import { cp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { GitRepo } from './git-repo.ts'
import { operationOf } from './git-server.ts'
import { endWithTest } from './teardown.ts'

/** What a repository holds. No push changes it: a push leads from one state to another, each in a folder of its own. */
export interface GitState {
  /** The bare repository. */
  readonly dir: string
  readonly answers: Map<string, Promise<GitAnswer>>
}

interface GitAnswer {
  readonly status: number
  readonly type: string
  readonly body: Uint8Array
  /** The state that the request leads to. */
  readonly next: GitState
}

/** A remote that begins as a copy of a repository. */
export interface GitCopy {
  readonly url: string
  readonly pushes: number
  readonly state: GitState
}

/**
 * Copies of a repository for tests that play almost the same story a hundred times. The real server answers each request about each state
 * once; the same request about the same state has the same answer, and leads to the same state. Git's processes cost most of such a test.
 */
export const gitStates = async (repo: GitRepo): Promise<() => GitCopy> => {
  let states = 0
  const first: GitState = { dir: repo.dir, answers: new Map() }
  const remotes: { pushes: number; state: GitState }[] = []

  const server = createServer(async (request, response) => {
    const [, number, ...rest] = (request.url ?? '').split('/')
    const remote = remotes[Number(number)]!
    const path = rest.join('/')
    const body = await buffer(request)
    const {
      'git-protocol': protocol = '',
      'content-encoding': encoding = '',
      'content-type': type = '',
    } = request.headers
    const headers = { 'git-protocol': String(protocol), 'content-encoding': encoding, 'content-type': type }
    const isPush = operationOf(new URL(path, 'http://git'), body, encoding) === 'push'

    const ask = async (state: GitState): Promise<GitAnswer> => {
      const next = isPush ? { dir: `${repo.dir}-${++states}`, answers: new Map() } : state
      if (isPush) await cp(state.dir, next.dir, { recursive: true })
      const { method = 'GET' } = request
      const url = `${repo.server.url}/${basename(next.dir)}/${path}`
      const answer = await fetch(url, { method, headers, ...(method === 'POST' && { body }) })
      const answerType = answer.headers.get('content-type') ?? ''
      return { status: answer.status, type: answerType, body: await answer.bytes(), next }
    }
    const { answers } = remote.state
    const key = JSON.stringify([request.method, path, headers, body.toString('base64')])
    if (!answers.has(key)) answers.set(key, ask(remote.state))
    const answer = await answers.get(key)!
    remote.state = answer.next
    if (isPush) remote.pushes++
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  })
  const { port } = server.address() as AddressInfo
  return () => {
    const remote = { url: `http://127.0.0.1:${port}/${remotes.length}`, pushes: 0, state: first }
    remotes.push(remote)
    return remote
  }
}
