/**
 * Maximum nesting for traversals of a schema: deeper data is an attack on the stack. Validation refuses it, so the other traversals may
 * leave it unchanged.
 */
export const maxDepth = 128
