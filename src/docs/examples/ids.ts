export const baseUrl = 'https://forms.example.org';
export const formUuid = '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314';
export const submissionUuid = '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66';
