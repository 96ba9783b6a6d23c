import { existsSync } from 'node:fs';
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

// The panel has a separate node_modules folder. Without it, rules that need types cannot check the panel.
const panel = existsSync('examples/panel/node_modules') ? [] : ['examples/panel/src/'];

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      'coverage/',
      '.data/',
      '**/.adminjs/',
      'clients/typescript/src/schema.ts',
      ...panel,
    ],
  },
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Nest and Fastify expect literals for options whose types are classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Nest modules are classes without members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    // The rule engine is pure: it imports nothing from outside its folder.
    files: ['src/conditions/engine/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ regex: '^(?!\\./)' }] }] },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: {
      // Tests read response bodies of unknown types.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['examples/page/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        'addEventListener confirm document history localStorage location sessionStorage window'
          .split(' ')
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        URL: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
      },
    },
  },
);
