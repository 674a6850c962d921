const mark = [0xef, 0xbb, 0xbf]

/** Removes the byte order mark, as Helm does for every file. */
export const stripByteOrderMark = (data: Uint8Array): Uint8Array =>
  mark.every((byte, index) => data[index] === byte) ? data.subarray(mark.length) : data
