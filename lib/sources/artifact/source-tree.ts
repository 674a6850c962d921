/** The files of a source by slash path, relative, without `.` and `..`; folders are only those that hold a file. */
export type SourceTree = ReadonlyMap<string, SourceFile>

export interface SourceFile {
  /** Of a large one it may be read anew each time: then `size` tells its length without. */
  readonly content: Uint8Array
  readonly size?: number
  readonly executable: boolean
}
