import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import { httpTransport } from './http-transport.ts'
import { openRemote } from './open-remote.ts'

export interface TagsOf {
  readonly url: URL
  /** Value of the Authorization header. */
  readonly authorization: string
  readonly agent: HttpAgent
  readonly signal: AbortSignal
}

export interface Tag {
  readonly name: string
  /** The commit, even for an annotated tag. */
  readonly sha: string
}

const prefix = 'refs/tags/'
const maxBytes = 64 << 20

/** The tags of a repository, for servers whose API does not list them. Fails with GitError. */
export const listTags = async ({ agent, ...options }: TagsOf): Promise<readonly Tag[]> => {
  const transport = httpTransport({
    service: 'git-upload-pack',
    ...options,
    agent,
    crossOriginAgent: agent,
    maxBytes,
  })
  try {
    const references = await openRemote(transport, { triesV2: true, format: 'sha1', onGreeting: () => {} }).references([
      prefix,
    ])
    return references
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ name, id, peeled }) => ({ name: name.slice(prefix.length), sha: peeled ?? id }))
  } finally {
    await transport.close()
  }
}
