/**
 * The read-only tree a build sees: slash paths relative to its root, without a leading slash (`''` is the root).
 * Nothing outside can be named, so a build can't escape it.
 */
export interface FileSystem {
  /** The file's bytes; undefined when there is none or it is a directory. */
  read(path: string): Uint8Array | undefined
  /** Names in a directory, sorted by byte order; undefined when there is no such directory. */
  list(path: string): readonly string[] | undefined
  /** Where a path leads when links are followed, for trees that have links; it decides what lies inside a directory. */
  realPath?(path: string): string | undefined
}
