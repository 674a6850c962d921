/**
 * The read-only tree of a build: slash paths relative to its root, without a leading slash (`''` is the root). Nothing outside has a path,
 * so a build can't escape it.
 */
export interface FileSystem {
  /** The file's bytes; undefined if it does not exist or is a directory. */
  read(path: string): Uint8Array | undefined
  /** Names in a directory, sorted by byte order; undefined if there is no such directory. */
  list(path: string): readonly string[] | undefined
  /** Resolves links, for trees that have them; the result decides what is inside a directory. */
  realPath?(path: string): string | undefined
}
