import type { Spool } from '../spool.ts'
import { GitError } from './git-error.ts'
import { formatOf, isObjectId, type ObjectFormat } from './git-object.ts'
import { encodePackets, readLines, readPackets } from './pkt-line.ts'
import type { FetchRequest, RemoteReference } from './remote.ts'
import { readSideBand } from './side-band.ts'
import type { GitTransport } from './transport.ts'

/**
 * Lists references in protocol v2 (gitprotocol-v2), which has stateless commands and filters references on the server.
 */
export const listReferencesV2 = async (
  transport: GitTransport,
  prefixes: readonly string[],
  format: ObjectFormat,
): Promise<readonly RemoteReference[]> => {
  const wanted = prefixes.map(prefix => `ref-prefix ${prefix}`)
  const query = ['command=ls-refs', ...objectFormatLine(format), 'delimiter', 'peel', ...wanted, 'flush']
  const response = readPackets(await transport.request(encodePackets(query)))
  try {
    return (await readLines(response)).map(referenceIn)
  } finally {
    await response.close()
  }
}

/** SHA-1 is the default, and old servers support nothing else. */
const objectFormatLine = (format: ObjectFormat): string[] => (format === 'sha1' ? [] : [`object-format=${format}`])

/** `<id> <name>`, and `peeled:<id>` for annotated tags. */
const referenceIn = (line: string): RemoteReference => {
  const [id = '', name = '', ...attributes] = line.split(' ')
  const peeled = attributes.find(attribute => attribute.startsWith('peeled:'))?.slice('peeled:'.length)
  if (!isObjectId(id) || !name || (peeled !== undefined && !isObjectId(peeled))) {
    throw new GitError('protocol', 'the response is not a list of references')
  }
  return { name, id, ...(peeled && { peeled }) }
}

/** Fetches a pack with the wanted objects into the spool. */
export const fetchPackV2 = async (transport: GitTransport, request: FetchRequest, pack: Spool): Promise<void> => {
  const query = [
    'command=fetch',
    ...objectFormatLine(formatOf(request.wants[0]!)),
    'delimiter',
    'ofs-delta',
    'no-progress',
    ...(request.depth ? [`deepen ${request.depth}`] : []),
    ...(request.filter ? [`filter ${request.filter}`] : []),
    ...request.wants.map(id => `want ${id}`),
    'done',
    'flush',
  ]
  const response = readPackets(await transport.request(encodePackets(query)))
  try {
    for (let section = await response.readLine(); section !== 'packfile'; section = await response.readLine()) {
      if (section === undefined) throw new GitError('protocol', 'the response does not contain a pack')
      await readLines(response)
    }
    await readSideBand(response, pack)
  } finally {
    await response.close()
  }
}
